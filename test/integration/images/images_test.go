// SPDX-License-Identifier: Apache-2.0

//go:build integration

package images

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/test/fakes/takaro"
	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/install"
)

// TestTheProgramsServeFromTheirImages verifies the main functions of the installation of this
// package, whose programs run from the images.
func TestTheProgramsServeFromTheirImages(t *testing.T) {
	server := framework.NewTakaro(t, takaro.Options{})
	u := env.User(t, env.Namespace(t), "edit")
	u.KubectlIn(t, fmt.Sprintf(`apiVersion: v1
kind: Secret
metadata: {name: admin}
stringData: {adminToken: %q}
---
apiVersion: takaro.roadstead.dev/v1alpha1
kind: Domain
metadata: {name: arena}
spec: {takaroApiUrl: %q, credentialsSecretRef: {name: admin}}
`, server.AdminToken(), server.URL()), "apply", "-f", "-")
	u.Kubectl(t, "wait", "--for=condition=Ready", "domains.takaro.roadstead.dev/arena", "--timeout=60s")
	assert.Len(t, server.Domains(), 1)
	u.Kubectl(t, "delete", "domains.takaro.roadstead.dev", "arena", "--timeout=60s")
	assert.Empty(t, server.Domains())
}

// TestPoliciesKnowTimeZones verifies that the server evaluates policies with time zones although
// the image contains no time zone files.
func TestPoliciesKnowTimeZones(t *testing.T) {
	u := env.User(t, env.Namespace(t), "edit")
	policy := fmt.Sprintf(`apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: hours}
spec:
  failurePolicy: Fail
  matchConstraints:
    namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: %[1]s}}
    resourceRules: [{apiGroups: [takaro.roadstead.dev], apiVersions: ["*"], operations: [CREATE], resources: [domains]}]
  validations:
    - expression: timestamp('2026-07-01T12:00:00Z').getHours('Europe/Berlin') != 14
      message: it is two in the afternoon
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: hours}
spec: {policyName: hours, validationActions: [Deny]}
`, u.Namespace)
	_, _, err := env.TryKubectl(t, policy, "apply", "-f", "-")
	require.NoError(t, err)
	t.Cleanup(func() {
		_, _, err := env.Cluster.Kubectl(context.Background(), "delete", "validatingadmissionpolicybindings,validatingadmissionpolicies", "hours")
		assert.NoError(t, err)
	})
	domain := &v1alpha1.Domain{ObjectMeta: metav1.ObjectMeta{GenerateName: "arena-"},
		Spec: v1alpha1.DomainSpec{TakaroAPIURL: "https://takaro.example"}}
	framework.Await(t, "the policy holds", func() error {
		_, err := u.Domains().Create(t.Context(), domain, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if err == nil {
			return errors.New("the server knows nothing of it yet")
		}
		if !strings.Contains(err.Error(), "it is two in the afternoon") {
			return err
		}
		return nil
	})
}

// TestTheProgramsAreShutInTheirImages verifies that the programs run from the images, without root
// privileges and with a read-only root file system. The other tests assume this.
func TestTheProgramsAreShutInTheirImages(t *testing.T) {
	for _, program := range []*install.Program{env.Roadstead.APIServer(), env.Roadstead.Controller()} {
		proc := fmt.Sprintf("/proc/%d/", program.PID())
		executable, err := os.Readlink(proc + "exe")
		require.NoError(t, err)
		status, err := os.ReadFile(proc + "status")
		require.NoError(t, err)
		if os.Geteuid() != 0 {
			assert.True(t, strings.HasPrefix(executable, boxes), executable)
			assert.NotRegexp(t, regexp.MustCompile(`(?m)^Uid:\s0\s`), string(status))
			continue
		}
		mounts, err := os.ReadFile(proc + "mounts")
		require.NoError(t, err)
		assert.Regexp(t, regexp.MustCompile(`(?m)^\S+ / \S+ ro,`), string(mounts), "the root is read-only")
		assert.Regexp(t, regexp.MustCompile(`(?m)^Uid:\s65532\s65532\s65532\s65532$`), string(status))
		assert.Regexp(t, regexp.MustCompile(`(?m)^Gid:\s65532\s65532\s65532\s65532$`), string(status))
		assert.Regexp(t, regexp.MustCompile(`(?m)^CapEff:\s0+$`), string(status), "no rights of root are left")
	}
}

// TestTheCommandsOfTheImages verifies the version and help output of each program.
func TestTheCommandsOfTheImages(t *testing.T) {
	for _, name := range []string{apiServer, controller, crdCheck} {
		assert.Contains(t, command(t, name, "--version"), name+" version "+version)
		assert.Contains(t, command(t, name, "--help"), "Usage:\n  "+name)
	}
	assert.Contains(t, command(t, apiServer, "restore", "--help"), "--from")
}

// TestCRDCheckReadsTheVolumesOfItsImage runs the program as in a CI job that mounts the checkout.
func TestCRDCheckReadsTheVolumesOfItsImage(t *testing.T) {
	const crd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, properties: {size: {type: %s}}}}
`
	folder := t.TempDir()
	old, fresh := filepath.Join(folder, "old.yaml"), filepath.Join(folder, "new.yaml")
	require.NoError(t, os.WriteFile(old, fmt.Appendf(nil, crd, "string"), 0o600))
	require.NoError(t, os.WriteFile(fresh, fmt.Appendf(nil, crd, "integer"), 0o600))
	cmd := exec.CommandContext(t.Context(), filepath.Join(boxes, crdCheck), old, fresh)
	cmd.Env = []string{"HOME=" + folder}
	output, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit, string(output))
	assert.Equal(t, 2, exit.ExitCode(), "a breaking change: %s", output)
	assert.Contains(t, string(output), "widgets.example.com")
}

// command returns the output of a program in its image.
func command(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(boxes, name), args...)
	cmd.Env = []string{}
	output, err := cmd.CombinedOutput()
	require.NoError(t, err, string(output))
	return string(output)
}
