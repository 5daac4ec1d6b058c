// SPDX-License-Identifier: Apache-2.0

package operatorversion

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/engine/helm/repository"
	"roadstead.dev/roadstead/pkg/engine/sandbox"
)

func TestCRDsOf_TrustsNothing(t *testing.T) {
	good := `{"name":"a.example.com","digest":"sha256:1","manifest":{},"varies":[{"verdict":"B","message":"x\ny"},{},{"verdict":"nonsense"}]}`
	crds, findings, err := crdsOf([]json.RawMessage{json.RawMessage(good)})
	require.NoError(t, err)
	require.Len(t, crds, 1)
	require.Len(t, findings, 1, "there are two at most")
	assert.Equal(t, "x y", findings[0].Message)
	assert.Equal(t, codeVaries, findings[0].Code)
	for name, objects := range map[string][]string{
		"no object":          {`[]`},
		"no name":            {`{"manifest":{}}`},
		"a long name":        {fmt.Sprintf(`{"name":%q,"manifest":{}}`, strings.Repeat("a", 300))},
		"a long digest":      {fmt.Sprintf(`{"name":"a","digest":%q,"manifest":{}}`, strings.Repeat("a", 300))},
		"no manifest":        {`{"name":"a"}`},
		"a name twice":       {good, good},
		"an unknown verdict": {`{"name":"a","manifest":{},"varies":[{"verdict":"nonsense"}]}`},
	} {
		var encoded []json.RawMessage
		for _, object := range objects {
			encoded = append(encoded, json.RawMessage(object))
		}
		_, _, err := crdsOf(encoded)
		assert.ErrorIs(t, err, errForeign, name)
	}
}

func TestRefusedChart_TakesKindsOfContentOnly(t *testing.T) {
	for code, want := range map[string]repository.Kind{
		"TooLarge": repository.KindTooLarge, "Unrenderable": repository.KindUnrenderable, "Invalid": repository.KindInvalid,
		"Unauthorized": repository.KindInvalid, "": repository.KindInvalid,
	} {
		assert.Equal(t, want, refusedChart(&sandbox.Error{Kind: sandbox.KindRefused, Code: code}).Kind, code)
	}
}
