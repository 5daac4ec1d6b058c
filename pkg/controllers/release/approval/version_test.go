// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
)

// versioned returns a CRDSchema of an OperatorVersion that waits for an approval. owner is the UID
// in its controller reference, empty for a CRDSchema that was created manually.
func versioned(t *testing.T, owner types.UID) *v1alpha1.CRDSchema {
	schema := waiting(t)
	schema.Name, schema.CreationTimestamp = "op-v1.0.0."+crd, metav1.NewTime(start)
	schema.Spec.OperatorVersionRef = &v1alpha1.LocalObjectReference{Name: "op-v1.0.0"}
	schema.Status.RequestedBy = "ann"
	if owner != "" {
		isController := true
		schema.OwnerReferences = []metav1.OwnerReference{{APIVersion: v1alpha1.SchemeGroupVersion.String(), Kind: "OperatorVersion",
			Name: "op-v1.0.0", UID: owner, Controller: &isController}}
	}
	return schema
}

func createdAt(uid types.UID, after time.Duration) *v1alpha1.OperatorVersion {
	version := versionOf("v1.0.0")
	version.UID, version.CreationTimestamp = uid, metav1.NewTime(start.Add(after))
	return version
}

func TestApproval_IsVoidWithoutItsOperatorVersion(t *testing.T) {
	for _, test := range []struct {
		name  string
		owner types.UID
		again *v1alpha1.OperatorVersion
		says  string
	}{
		{"deleted", "", nil, "OperatorVersion op-v1.0.0 no longer exists"},
		{"deleted, with an owner", "first", nil, "OperatorVersion op-v1.0.0 no longer exists"},
		{"created again", "", createdAt("second", time.Hour), "OperatorVersion op-v1.0.0 was deleted and created again"},
		{"created again in the same second, with an owner", "first", createdAt("second", 0),
			"OperatorVersion op-v1.0.0 was deleted and created again"},
	} {
		for _, approved := range []bool{false, true} {
			w := newWorld(t, schemaOf("old", "uid-of-old", 100), versioned(t, test.owner), createdAt("first", 0))
			w.settle(w.store)
			require.Contains(t, w.told(), "ann requested the change")
			if approved {
				w.decides(v1alpha1.OutcomeApproved, "") // the controller has not copied the decision yet
			}
			require.NoError(t, w.store.Delete(t.Context(), versionOf("v1.0.0")))
			if test.again != nil {
				require.NoError(t, w.store.Create(t.Context(), test.again.DeepCopy()))
			}
			w.settle(w.store)
			if !approved {
				assert.Equal(t, v1alpha1.OutcomeVoided, w.approval().Status.Decision, test.name)
				requireCondition(t, w.approval().Status.Conditions, "Finished", metav1.ConditionTrue, "Voided", test.says)
			}
			found := w.schema("op-v1.0.0." + crd)
			assert.Equal(t, v1alpha1.ApprovalRejected, found.Status.Approval, test.name)
			requireCondition(t, found.Status.Conditions, "Ready", metav1.ConditionFalse, "Voided", test.says)
			w.settle(controllertest.ReadOnly(t, w.store))
		}
	}
}

func TestApproval_IsNotCreatedWithoutTheOperatorVersion(t *testing.T) {
	for name, objects := range map[string][]client.Object{
		"none":         {versioned(t, "")},
		"another UID":  {versioned(t, "first"), createdAt("second", 0)},
		"none, owned":  {versioned(t, "first")},
		"a late owner": {versioned(t, "first"), createdAt("second", time.Hour)},
	} {
		w := newWorld(t, append(objects, schemaOf("old", "uid-of-old", 100))...)
		w.settle(controllertest.ReadOnly(t, w.store))
		assert.Empty(t, w.names(&v1alpha1.ApprovalList{}), name)
		assert.Equal(t, v1alpha1.ApprovalPending, w.schema("op-v1.0.0."+crd).Status.Approval, name)
	}
}

func TestApproval_OperatorVersionWakesItsApprovals(t *testing.T) {
	w := newWorld(t, schemaOf("old", "uid-of-old", 100), versioned(t, ""), createdAt("first", 0))
	w.settle(w.store)
	approvals, _ := w.controllers(w.store)
	requests := approvals.ofVersion(t.Context(), versionOf("v1.0.0"))
	require.Len(t, requests, 1)
	assert.Equal(t, w.approval().Name, requests[0].Name)
	assert.Empty(t, approvals.ofVersion(t.Context(), versionOf("v2.0.0")))
}

func TestAsking_PassesTheRemovalOfTheAnnotation(t *testing.T) {
	with, without := waiting(t), waiting(t)
	without.Annotations = nil
	assert.True(t, asking.Update(event.UpdateEvent{ObjectOld: with, ObjectNew: without}))
	assert.True(t, asking.Create(event.CreateEvent{Object: with}))
	assert.False(t, asking.Update(event.UpdateEvent{ObjectOld: without, ObjectNew: without}))
	assert.False(t, asking.Create(event.CreateEvent{Object: without}))
}
