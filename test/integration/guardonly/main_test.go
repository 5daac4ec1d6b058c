// SPDX-License-Identifier: Apache-2.0

//go:build integration

// Package guardonly tests an installation with only the CRD guard and the release API, with only
// the rights of its manifests.
package guardonly

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/install"
)

var env *framework.Env

func TestMain(m *testing.M) {
	framework.Main(m, &env, framework.WithAudit("Metadata"), framework.WithController("--groups=release"),
		framework.WithInstall(func(o *install.Options) {
			o.Manifests = "guard-only"
			// The same arguments as in the workloads of the directory, which
			// test/integration/apiserver verifies.
			o.APIServerArgs = []string{"--runtime-config=takaro.roadstead.dev/v1alpha1=false"}
		}))
}

const manifest = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.only.example.com}
spec:
  group: only.example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: %s}}}}}
`

const (
	whole    = "{size: {type: string}, color: {type: string}}"
	narrowed = "{size: {type: string}}"
)

func apply(t *testing.T, spec string) error {
	t.Helper()
	_, _, err := env.TryKubectl(t, fmt.Sprintf(manifest, spec), "apply", "-f", "-")
	return err
}

// TestTheGuardAlone verifies that the guard rejects breaking changes, that changes made without the
// guard are reported afterwards, and that no right is missing.
func TestTheGuardAlone(t *testing.T) {
	assert.NotContains(t, env.Kubectl(t, "", "api-versions"), "takaro.roadstead.dev")
	require.NoError(t, apply(t, whole))
	framework.Await(t, "the guard", func() error {
		if err := apply(t, narrowed); err == nil || !strings.Contains(err.Error(), "roadstead.dev/allow-change=sha256:") {
			// The guard is not called yet: revert the change.
			return errors.Join(errors.New("it was not refused, or not by the guard"), err, apply(t, whole))
		}
		return nil
	})
	framework.Await(t, "the controller to have seen the definition", func() error {
		out := env.Kubectl(t, "", "get", "crdsnapshots.release.roadstead.dev", "-o", "name")
		if !strings.Contains(out, "widgets.only.example.com") {
			return fmt.Errorf("it has seen %q", out)
		}
		return nil
	})

	env.Kubectl(t, "", "delete", "validatingwebhookconfiguration", "roadstead-crdguard")
	framework.Await(t, "the change to pass", func() error { return apply(t, narrowed) })
	framework.Await(t, "the event", func() error {
		if out := env.Kubectl(t, "", "get", "events", "-n", "default", "--field-selector=reason=CRDChangeMissed"); !strings.Contains(out,
			"widgets.only.example.com") {
			return fmt.Errorf("the events are %q", out)
		}
		return nil
	})
	requireNoneForbidden(t)
}

// requireNoneForbidden requires that no request of Roadstead was forbidden, except lists in the
// group only.example.com, which no role grants.
func requireNoneForbidden(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile(env.Cluster.AuditLog())
	require.NoError(t, err)
	ours := 0
	for line := range bytes.Lines(text) {
		var event auditv1.Event
		if !bytes.Contains(line, []byte(`"username":"system:serviceaccount:roadstead-system:roadstead-`)) || json.Unmarshal(line, &event) != nil {
			continue
		}
		ours++
		if event.ObjectRef != nil && event.ObjectRef.APIGroup == "only.example.com" && event.Verb == "list" {
			continue
		}
		assert.NotEqualf(t, "forbid", event.Annotations["authorization.k8s.io/decision"], "%s may not %s %s", event.User.Username,
			event.Verb, event.RequestURI)
	}
	assert.Greater(t, ours, 20, "the audit log was read")
}
