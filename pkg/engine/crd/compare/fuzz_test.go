// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// slowest is the maximum duration of one comparison, for any input.
const slowest = 5 * time.Second

// FuzzCompare compares two CRDs, in YAML or JSON, that are separated by a line of three dashes.
func FuzzCompare(f *testing.F) {
	separator := []byte("\n---\n")
	for _, pair := range readPairs(f) {
		var sides [][]byte
		for _, side := range []string{"old.yaml", "new.yaml"} {
			content, err := os.ReadFile(filepath.Join("testdata", "pairs", pair.id, side))
			require.NoError(f, err)
			sides = append(sides, content)
		}
		f.Add(bytes.Join(sides, separator))
	}
	for _, rule := range rules.All {
		if rule.Scope == rules.InField || rule.Scope == rules.InSpec {
			old, new, err := exampleCRDs(rule)
			require.NoError(f, err)
			before, err := json.Marshal(old)
			require.NoError(f, err)
			after, err := json.Marshal(new)
			require.NoError(f, err)
			f.Add(bytes.Join([][]byte{before, after}, separator))
		}
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		if len(input) > 3<<20 {
			return
		}
		before, after, _ := bytes.Cut(input, separator)
		old, new := &apiextensionsv1.CustomResourceDefinition{}, &apiextensionsv1.CustomResourceDefinition{}
		if yaml.Unmarshal(before, old) != nil || yaml.Unmarshal(after, new) != nil {
			return
		}
		hang := time.AfterFunc(2*slowest, func() { panic("a comparison does not end") })
		defer hang.Stop()
		begin := time.Now()
		report := Compare(old, new, Options{})
		require.Less(t, time.Since(begin), slowest)
		requireConsistent(t, report)
		require.Equal(t, encodeReport(t, report), encodeReport(t, Compare(old, new, Options{})))
		requireConsistent(t, Reverse(old, new, Options{}))
		for _, finding := range Compare(old, old, Options{}).Findings {
			require.Equal(t, rules.Refused, finding.Verdict, "nothing changed, and yet: %+v", finding)
		}
	})
}
