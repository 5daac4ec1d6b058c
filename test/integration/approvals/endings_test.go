// SPDX-License-Identifier: Apache-2.0

//go:build integration

package approvals

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/framework"
)

// TestAChangedBaselineVoids verifies that an approval covers only one change, from one CRD to
// another.
func TestAChangedBaselineVoids(t *testing.T) {
	q := ask(t)
	controller := env.Roadstead.Controller()
	require.NoError(t, controller.Stop())
	kubectl(t, "ann", "", "delete", "crdschema", q.old)
	saysInVain(t, "bob", "approve", q.approval, "", "the subject changed: CRDSchema "+q.old+", which it is compared with, no longer exists")
	kubectl(t, "ann", schema(q.old, definition("widgets", 99), "", ""), "create", "-f", "-")
	saysInVain(t, "bob", "approve", q.approval, "", "has another CRD now")
	require.NoError(t, controller.Start(t.Context()))
	awaitField(t, "approval", q.approval, ".status.decision", "Voided")
	awaitField(t, "crdschema", q.new, ".status.approval", "Rejected")
	awaitEvent(t, q.approval, "Voided")
	saysInVain(t, "bob", "approve", q.approval, "", "already been decided: Voided")

	// A running controller observes the deletion immediately.
	gone := ask(t)
	kubectl(t, "ann", "", "delete", "crdschema", gone.new)
	awaitField(t, "approval", gone.approval, ".status.decision", "Voided")
	changed := ask(t)
	kubectl(t, "ann", "", "delete", "crdschema", changed.old)
	awaitField(t, "approval", changed.approval, ".status.decision", "Voided")
}

// TestNobodyDecides uses the minimum lifetime of an Approval, with a controller that is killed
// meanwhile.
func TestNobodyDecides(t *testing.T) {
	controller := env.Roadstead.Controller()
	require.NoError(t, controller.Stop())
	require.NoError(t, controller.StartWith(t.Context(), "--approval-expiry=1m"))
	q := ask(t)
	require.NoError(t, controller.Kill())
	require.NoError(t, controller.Start(t.Context()))
	framework.AwaitFor(t, 3*time.Minute, "the end of the minute", func() error {
		if decision := field(t, "approval", q.approval, ".status.decision"); decision != "Expired" {
			return fmt.Errorf("it is %s", decision)
		}
		return nil
	})
	awaitField(t, "crdschema", q.new, ".status.approval", "Rejected")
	awaitEvent(t, q.approval, "Expired")
	saysInVain(t, "bob", "approve", q.approval, "", "already been decided: Expired")
}
