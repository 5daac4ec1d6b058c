// SPDX-License-Identifier: Apache-2.0

package crdcheck

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"roadstead.dev/roadstead/pkg/engine/crd/compare"
)

func TestExitCodes(t *testing.T) {
	inputs(t)
	for name, test := range map[string]struct {
		args   []string
		stdin  string
		want   int
		stdout string
		stderr string
	}{
		"nothing changes": {args: []string{"widgets.yaml", "same.yaml"}, want: 0,
			stdout: "OK  widgets.example.com: no action required\n"},
		"standard input, old":       {args: []string{"-", "widgets.yaml"}, stdin: widgets(), want: 0, stdout: "OK  widgets.example.com"},
		"standard input, new":       {args: []string{"widgets.yaml", "-"}, stdin: widgets(), want: 0, stdout: "OK  widgets.example.com"},
		"folders":                   {args: []string{"both", "both"}, want: 0, stdout: "OK  2 CRDs: no action required\n"},
		"a new definition":          {args: []string{"one", "both"}, want: 0, stdout: "Note: widgets.example.com is new\n"},
		"to be reviewed":            {args: []string{"both", "one"}, want: 0, stdout: "REVIEW  1 of 2 CRDs: 1 to be reviewed"},
		"to be reviewed, strictly":  {args: []string{"--strict", "both", "one"}, want: 1, stdout: "REVIEW"},
		"a chart's folder":          {args: []string{"folder.tgz", "empty.tgz", "--strict"}, want: 1, stdout: "CRD-S02"},
		"renamed":                   {args: []string{"widgets.yaml", "renamed.yaml"}, want: 2, stdout: "CRD replaced by one in another group"},
		"destructive":               {args: []string{"--chart", "old.tgz", "new.tgz"}, want: 2, stdout: "DESTRUCTIVE"},
		"refused":                   {args: []string{"folder.tgz", "hooked.tgz"}, want: 2, stdout: "REFUSED"},
		"not failing":               {args: []string{"--no-fail", "--chart", "old.tgz", "new.tgz"}, want: 0, stdout: "DESTRUCTIVE"},
		"a rollback does not count": {args: []string{"empty.tgz", "old.tgz", "--reverse"}, want: 0, stdout: "Rollback: "},
		"what Helm leaves alone": {args: []string{"folder.tgz", "hooked.tgz"}, want: 2,
			stdout: "Note: helm upgrade does not update the contents of a crds folder; to have the new version of"},
		"switched off": {args: []string{"switched.tgz", "switched.tgz"}, want: 0,
			stdout: "Note: neither chart contains a CustomResourceDefinition"},
		"switched on":           {args: []string{"switched.tgz", "empty.tgz", "--set", "crds.install=true"}, want: 2, stdout: "CRD-S01"},
		"switched on by a file": {args: []string{"switched.tgz", "empty.tgz", "-f", "on.yaml"}, want: 2, stdout: "CRD-S01"},
		"help":                  {args: []string{"--help"}, want: 0, stdout: "Exit codes:"},
		"version":               {args: []string{"--version"}, want: 0, stdout: "roadstead-crdcheck version v"},
		"explain":               {args: []string{"explain", "CRD-101"}, want: 0, stdout: "CRD-101  optional field removed\n"},
		"explain, short":        {args: []string{"explain", "a02"}, want: 0, stdout: "CRD-A02  "},
		"explain all":           {args: []string{"explain"}, want: 0, stdout: "CRD-S11  X   "},
		"explain what is not": {args: []string{"explain", "CRD-999"}, want: 3,
			stderr: `there is no rule "CRD-999"; to list all rules, run: roadstead-crdcheck explain`},
		"explain two": {args: []string{"explain", "101", "102"}, want: 3, stderr: "accepts at most 1 arg"},
		"no input": {want: 3,
			stderr: "two inputs are required, the old and the new one, but 0 were given; for examples, see --help"},
		"three inputs":         {args: []string{"a", "b", "c"}, want: 3, stderr: "3 were given"},
		"standard input twice": {args: []string{"-", "-"}, want: 3, stderr: "standard input can be read only once"},
		"no such file":         {args: []string{"widgets.yaml", "no.yaml"}, want: 3, stderr: "no.yaml: no such file or directory"},
		"no definition": {args: []string{"other.yaml", "widgets.yaml"}, want: 3,
			stderr: "other.yaml: contains no CustomResourceDefinition"},
		"no YAML":                      {args: []string{"widgets.yaml", "broken.yaml"}, want: 3, stderr: "broken.yaml: document 1 (line 1): "},
		"no failing of unusable input": {args: []string{"--no-fail", "widgets.yaml", "broken.yaml"}, want: 3, stderr: "broken.yaml"},
		"no chart":                     {args: []string{"--chart", "both", "one"}, want: 3, stderr: "Chart.yaml is missing"},
		"no such flag":                 {args: []string{"--no-such-flag"}, want: 3, stderr: "unknown flag: --no-such-flag"},
		"a wrong output": {args: []string{"-o", "xml", "a", "b"}, want: 3,
			stderr: `--output: "xml" is not supported: must be one of text, json, sarif`},
		"a wrong colour": {args: []string{"--color", "red", "a", "b"}, want: 3,
			stderr: `--color: "red" is not supported: must be one of auto, always, never`},
		"a wrong version": {args: []string{"--target-version", "new", "a", "b"}, want: 3,
			stderr: `--target-version: target version "new" is not a Kubernetes version`},
		"a wrong budget":          {args: []string{"--live-budget", "0", "--live", "a"}, want: 3, stderr: "--live-budget: 0s is invalid"},
		"nothing for the cluster": {args: []string{"--live"}, want: 3, stderr: "--live requires the new CustomResourceDefinitions"},
		"no cluster": {args: []string{"--live", "widgets.yaml", "--kubeconfig", "no.yaml"}, want: 3,
			stderr: "--live: no cluster is configured (see --kubeconfig and --context)"},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := execute(t, test.stdin, test.args...)
			assert.Equal(t, test.want, code, stdout+stderr)
			assert.Contains(t, stdout, test.stdout)
			if test.want != exitUnusable {
				assert.Empty(t, stderr)
				return
			}
			assert.Empty(t, stdout)
			assert.True(t, strings.HasPrefix(stderr, "roadstead-crdcheck: "), stderr)
			assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
			assert.Contains(t, stderr, test.stderr)
		})
	}
}

func TestOutputs(t *testing.T) {
	folder := inputs(t)
	t.Setenv("COLUMNS", "80")
	for _, format := range []string{"text", "json", "sarif"} {
		for name, args := range map[string][]string{
			"charts": {"--chart", "old.tgz", "new.tgz", "--reverse"},
			"files":  {"both", "one"},
			"same":   {"widgets.yaml", "same.yaml"},
		} {
			t.Run(name+" "+format, func(t *testing.T) {
				_, stdout, stderr := execute(t, "", append(args, "-o", format)...)
				require.Empty(t, stderr)
				golden(t, folder, name+"."+format, stdout)
				for range 3 {
					_, again, _ := execute(t, "", append(args, "-o", format)...)
					require.Equal(t, stdout, again)
				}
			})
		}
	}
}

func TestTheShapeOfJSON(t *testing.T) {
	inputs(t)
	keys := func(args ...string) []string {
		_, stdout, _ := execute(t, "", append(args, "-o", "json")...)
		var document map[string]any
		require.NoError(t, json.Unmarshal([]byte(stdout), &document))
		var names []string
		for name := range document {
			names = append(names, name)
		}
		return names
	}
	assert.ElementsMatch(t, []string{"verdict", "digest", "findings"}, keys("widgets.yaml", "same.yaml"))
	assert.ElementsMatch(t, []string{"verdict", "findings", "rollback"}, keys("old.tgz", "new.tgz", "--reverse"))
	_, stdout, _ := execute(t, "", "widgets.yaml", "same.yaml", "-o", "json")
	assert.Contains(t, stdout, `"findings": []`)
}

func definition(t *testing.T, text string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	decoded := &apiextensionsv1.CustomResourceDefinition{}
	require.NoError(t, yaml.Unmarshal([]byte(text), decoded))
	return decoded
}

func TestTheWayOutIsShownWhenAskedFor(t *testing.T) {
	inputs(t)
	changed := strings.Replace(widgets(), "size: {type: string}", "size: {type: string, description: How large.}", 1)
	lay(t, map[string]string{"changed.yaml": changed})
	digest := compare.Digest(definition(t, widgets()), definition(t, changed))
	_, stdout, _ := execute(t, "", "widgets.yaml", "changed.yaml", "--show-digest")
	assert.Contains(t, stdout, "Digest of the change of widgets.example.com: "+digest+"\n")
	assert.Contains(t, stdout, "  kubectl annotate crd widgets.example.com --overwrite roadstead.dev/allow-change="+digest+
		"@\"$(kubectl get crd widgets.example.com -o jsonpath='{.metadata.generation}')\"\n")
	_, stdout, _ = execute(t, "", "widgets.yaml", "changed.yaml")
	assert.NotContains(t, stdout, "sha256")
	_, stdout, _ = execute(t, "", "widgets.yaml", "same.yaml", "--show-digest")
	assert.NotContains(t, stdout, "sha256", "nothing is to be allowed")
	_, stdout, _ = execute(t, "", "widgets.yaml", "changed.yaml", "-o", "json")
	assert.Contains(t, stdout, `"digest": "`+digest+`"`)
}

func TestColors(t *testing.T) {
	inputs(t)
	for name, test := range map[string]struct {
		env  string
		args []string
		want bool
	}{
		"no terminal": {want: false},
		"always":      {args: []string{"--color=always"}, want: true},
		"asked for":   {env: "1", args: []string{"--color=always"}, want: true},
		"never":       {args: []string{"--color=never"}, want: false},
		"JSON":        {args: []string{"--color=always", "-o", "json"}, want: false},
	} {
		t.Run(name, func(t *testing.T) {
			if test.env != "" {
				t.Setenv("NO_COLOR", test.env)
			}
			_, stdout, _ := execute(t, "", append(test.args, "both", "one")...)
			assert.Equal(t, test.want, strings.Contains(stdout, "\x1b["))
		})
	}
}

func TestFlagsFromTheEnvironment(t *testing.T) {
	inputs(t)
	t.Setenv("ROADSTEAD_STRICT", "true")
	code, _, _ := execute(t, "", "both", "one")
	assert.Equal(t, exitReview, code)
	code, _, _ = execute(t, "", "both", "one", "--strict=false")
	assert.Equal(t, exitFine, code)
	t.Setenv("ROADSTEAD_STRICT", "perhaps")
	code, _, stderr := execute(t, "", "both", "one")
	assert.Equal(t, exitUnusable, code)
	assert.Contains(t, stderr, "ROADSTEAD_STRICT")
}

func TestHelpNamesEveryFlagAndNoUsageFollowsAnError(t *testing.T) {
	_, stdout, _ := execute(t, "", "--help")
	NewCommand().Flags().VisitAll(func(flag *pflag.Flag) {
		assert.Contains(t, stdout, "--"+flag.Name)
		assert.NotEmpty(t, flag.Usage)
	})
	for _, line := range strings.Split(stdout, "\n") {
		assert.LessOrEqual(t, len(line), 120, line)
	}
	_, stdout, stderr := execute(t, "", "--bad")
	assert.Empty(t, stdout)
	assert.NotContains(t, stderr, "Usage")
}

func TestChartFoldersNameTheirFilesOnThisMachine(t *testing.T) {
	inputs(t)
	lay(t, map[string]string{"charts/op/Chart.yaml": "apiVersion: v2\nname: operator\nversion: 1.0.0\n",
		"charts/op/templates/w.yaml": widgets()})
	_, stdout, _ := execute(t, "", "charts/op", "empty.tgz", "-o", "sarif")
	assert.Contains(t, stdout, `"uri": "charts/op/templates/w.yaml"`)
	_, stdout, _ = execute(t, "", "old.tgz", "empty.tgz", "-o", "sarif")
	assert.Contains(t, stdout, `"uri": "old.tgz"`)
}

// large returns a CRD with about the given number of bytes.
func large(size int, length int) string {
	var text strings.Builder
	text.WriteString(strings.TrimSuffix(widgets(), "              size: {type: string}\n"))
	for i := 0; text.Len() < size; i++ {
		fmt.Fprintf(&text, "              field%d:\n                description: |-\n                  This one does something with "+
			"the others, and is described at some\n                  length, as most are.\n"+
			"                type: object\n                properties:\n                  name: {type: string, maxLength: "+
			"%d}\n                  items:\n                    type: array\n                    items: {type: string}\n", i, length)
	}
	return text.String()
}

func BenchmarkCommand(b *testing.B) {
	for name, size := range map[string]int{"700KB": 700 << 10, "2MB": 2 << 20} {
		b.Run(name, func(b *testing.B) {
			folder := b.TempDir()
			old, changed := folder+"/old.yaml", folder+"/new.yaml"
			require.NoError(b, os.WriteFile(old, []byte(large(size, 63)), 0o600))
			require.NoError(b, os.WriteFile(changed, []byte(large(size, 62)), 0o600))
			for b.Loop() {
				var out, errs strings.Builder
				if code := Execute(b.Context(), []string{old, changed}, nil, &out, &errs); code == exitUnusable {
					b.Fatal(errs.String())
				}
			}
		})
	}
}
