// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

func TestEveryCommandHasHelpWithExamples(t *testing.T) {
	w := newWorld(t, "")
	for _, command := range newTool(genericiooptions.NewTestIOStreamsDiscard()).command().Commands() {
		code, out, problems := w.run(command.Name(), "--help")
		assert.Zero(t, code, command.Name())
		assert.Empty(t, problems, command.Name())
		if command.Name() != "version" {
			assert.Contains(t, out, "Examples:", command.Name())
		}
	}
	_, out, _ := w.run("--help")
	assert.Contains(t, out, "kubectl roadstead [command]")
	assert.Contains(t, out, "--namespace")
	assert.NotContains(t, out, "--client-key")
	code, _, problems := w.run("statsu")
	assert.Equal(t, exitUnusable, code)
	assert.Contains(t, problems, "unknown command")
}

func TestNoKubeconfigIsAnErrorOfOneLine(t *testing.T) {
	t.Setenv("KUBECONFIG", "/nowhere/config")
	w := newWorld(t, "")
	w.connect = w.dial
	code, _, problems := w.run("status", "-s", "http://127.0.0.1:1")
	assert.Equal(t, exitUnusable, code)
	assert.Contains(t, problems, "the cluster is unreachable; check --context, --kubeconfig and the network")
	assert.Equal(t, 1, strings.Count(problems, "\n"))
}

func TestCrdcheckHasItsOwnExitCodes(t *testing.T) {
	w := newWorld(t, "")
	code, _, problems := w.run("crdcheck", "only-one")
	assert.Equal(t, 3, code)
	assert.Contains(t, problems, "two inputs are required")
	code, out, _ := w.run("crdcheck", "explain", "CRD-301")
	assert.Zero(t, code)
	assert.Contains(t, out, "CRD-301")
}

func TestCompletion(t *testing.T) {
	w := newWorld(t, team+"---\n"+vote)
	for args, want := range map[string]string{
		"status|":         "gadget\nlabel\nrealm\nvote\n",
		"status|-o|":      "wide\njson\n",
		"wait|--for|":     "ready\ndeleted\nfinished\n",
		"crdcheck|--str":  "--strict",
		"":                "status\tReport which objects are not ready",
		"tree|gadget/x|":  ":4\n",
		"approve|v|":      ":4\n",
		"status|nothing/": ":4\n",
	} {
		_, out, _ := w.run(append([]string{cobra.ShellCompRequestCmd}, strings.Split(args, "|")...)...)
		assert.Contains(t, out, want, args)
	}
}
