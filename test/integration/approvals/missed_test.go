// SPDX-License-Identifier: Apache-2.0

//go:build integration

package approvals

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/engine/crd/compare"
	crdpolicy "roadstead.dev/roadstead/pkg/engine/crd/policy"
	"roadstead.dev/roadstead/test/framework"
)

// name is the name of the changed CRD.
const name = "gadgets.approvals.example.com"

// awaitSeen waits until the controller has observed the stored CRD.
func awaitSeen(t *testing.T) {
	t.Helper()
	awaitField(t, "crdsnapshot", name, ".spec.generation", field(t, "crd", name, ".metadata.generation"))
}

// told returns the events about missed changes of the CRD.
func told(t *testing.T) []string {
	t.Helper()
	return strings.Fields(kubectl(t, admin, "", "get", "events", "-n", "default", "--field-selector", "involvedObject.name="+name+
		",reason=CRDChangeMissed", "-o", "name"))
}

func awaitMissed(t *testing.T, want string) {
	t.Helper()
	framework.Await(t, "the count of missed changes", func() error {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+env.Roadstead.Controller().Address()+"/metrics", nil)
		require.NoError(t, err)
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			return err
		}
		defer func() { _ = answer.Body.Close() }()
		var body strings.Builder
		if err := answer.Write(&body); err != nil {
			return err
		}
		if !strings.Contains(body.String(), "\nroadstead_crdguard_missed_total "+want+"\n") {
			return fmt.Errorf("it is not %s", want)
		}
		return nil
	})
}

// TestAMissedChangeIsTold changes a CRD in a cluster where the guard is not installed.
func TestAMissedChangeIsTold(t *testing.T) {
	controller := env.Roadstead.Controller()
	require.NoError(t, controller.Stop())
	require.NoError(t, controller.Start(t.Context()))
	apply := func(longest int) { kubectl(t, admin, definition("gadgets", longest), "apply", "-f", "-") }
	apply(100)
	awaitSeen(t)
	apply(200)
	awaitSeen(t)
	require.Empty(t, told(t), "it breaks nothing")

	apply(50)
	awaitSeen(t)
	require.Len(t, told(t), 1)
	awaitMissed(t, "1")
	require.Contains(t, kubectl(t, admin, "", "describe", "crd", name), "breaks what uses it (worst verdict B, 1 findings)")

	require.NoError(t, controller.Stop())
	apply(40)
	require.NoError(t, controller.Start(t.Context()))
	awaitSeen(t)
	require.Len(t, told(t), 2, "what happened while it was away is told too")
	awaitMissed(t, "1")
	require.NoError(t, controller.Kill())
	require.NoError(t, controller.Start(t.Context()))

	old, err := crdpolicy.Decode([]byte(definition("gadgets", 40)))
	require.NoError(t, err)
	new, err := crdpolicy.Decode([]byte(definition("gadgets", 30)))
	require.NoError(t, err)
	allow := compare.Digest(old, new) + "@" + field(t, "crd", name, ".metadata.generation")
	kubectl(t, admin, "", "annotate", "crd", name, "roadstead.dev/allow-change="+allow)
	awaitField(t, "crdsnapshot", name, ".spec.allowChange", allow)
	apply(30)
	awaitSeen(t)
	require.Len(t, told(t), 2, "the guard would have let it pass")
	apply(40)
	awaitSeen(t)
	apply(30)
	awaitSeen(t)
	require.Len(t, told(t), 3, "the annotation allowed the change once")
	kubectl(t, admin, "", "annotate", "crd", name, "roadstead.dev/crd-policy=Warn")
	awaitField(t, "crdsnapshot", name, ".spec.policy", "Warn")
	apply(20)
	awaitSeen(t)
	require.Len(t, told(t), 3, "the guard would have let it pass, and nothing is told twice")

	kubectl(t, admin, "", "delete", "crd", name)
	framework.Await(t, "the end of the snapshot", func() error {
		out, _, err := try(t, admin, "", "get", "crdsnapshot", name, "--ignore-not-found", "-o", "name")
		if err == nil && out != "" {
			err = fmt.Errorf("it is still there")
		}
		return err
	})
}
