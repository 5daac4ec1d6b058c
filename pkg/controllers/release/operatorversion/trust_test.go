// SPDX-License-Identifier: Apache-2.0

package operatorversion

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
)

const first = "widgets-1.0.0"

// forged adds a CRDSchema of version 1.0.0 that a user created before the controller did.
func (w *world) forged(creator string, change ...func(*v1alpha1.CRDSchema)) *v1alpha1.CRDSchema {
	w.Helper()
	isController := true
	made := &v1alpha1.CRDSchema{
		ObjectMeta: metav1.ObjectMeta{Name: first + ".widgets.example.com", OwnerReferences: []metav1.OwnerReference{{
			APIVersion: v1alpha1.SchemeGroupVersion.String(), Kind: "OperatorVersion", Name: first, UID: "version-1.0.0", Controller: &isController,
		}}},
		Spec: v1alpha1.CRDSchemaSpec{
			OperatorVersionRef: &v1alpha1.LocalObjectReference{Name: first},
			Definition:         runtime.RawExtension{Raw: []byte(harmless)},
		},
	}
	made.Status.CreatedBy = creator
	for _, one := range change {
		one(made)
	}
	w.Add(made)
	return made
}

const harmless = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.example.com"},
  "spec":{"group":"example.com",
	"scope":"Namespaced","names":{"plural":"widgets","kind":"Widgets"},"versions":[{"name":"v1","served":true,"storage":true}]}}`

// schema returns the CRDSchema of a CRD of example.com.
func (w *world) schema(version, plural string) *v1alpha1.CRDSchema {
	w.Helper()
	found := &v1alpha1.CRDSchema{}
	require.NoError(w, w.Store.Get(w.Context(), types.NamespacedName{Name: version + "." + plural + ".example.com"}, found))
	return found
}

func TestCRDSchemas_OfOtherUsersDoNotCount(t *testing.T) {
	for _, test := range []struct {
		name, creator string
		change        func(*v1alpha1.CRDSchema)
		ready, says   string
	}{
		{"a forged owner reference", "mallory", func(*v1alpha1.CRDSchema) {}, "False SchemaNameTaken", `created by "mallory"`},
		{"no owner reference", "mallory", func(s *v1alpha1.CRDSchema) { s.OwnerReferences = nil },
			"False SchemaNameTaken", `created by "mallory"`},
		{"another version", "mallory", func(s *v1alpha1.CRDSchema) { s.Spec.OperatorVersionRef.Name = "widgets-1.0" },
			"False SchemaNameTaken", `created by "mallory"`},
		{"another definition of the controller", controllerUser, func(*v1alpha1.CRDSchema) {}, "False SchemaDigestMismatch",
			"the chart renders widgets.example.com with sha256:"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			w.Serve("1.0.0", two())
			w.version("1.0.0")
			made := w.forged(test.creator, test.change)
			r := w.controller(w.Store)
			w.settle(r, first)
			assert.Equal(t, test.ready, w.condition(first, v1alpha1.ConditionReady))
			assert.Equal(t, test.ready, w.condition(first, v1alpha1.ConditionCRDsCompatible))
			assert.Contains(t, w.message(first), test.says)
			assert.Contains(t, w.message(first), "kubectl delete crdschema "+made.Name)
			kept := w.schema(first, "widgets")
			assert.Equal(t, made.UID, kept.UID, "it is not deleted")
			assert.Equal(t, made.OwnerReferences, kept.OwnerReferences, "it is not adopted")
			recorded := w.get(first).Status.CRDs[1]
			assert.NotEqual(t, kept.Status.Digest, recorded.Digest, "the digest is that of the chart")

			// A restarted controller reports the same without fetching the chart again.
			resource := w.get(first).ResourceVersion
			for range 3 {
				w.settle(w.controller(w.Store), first)
			}
			assert.Len(t, w.Repo.Requests(".tgz"), 1)
			assert.Equal(t, resource, w.get(first).ResourceVersion)

			require.NoError(t, w.Store.Delete(t.Context(), kept))
			w.settle(r, first)
			assert.Equal(t, "True AsSpecified", w.condition(first, v1alpha1.ConditionReady))
			assert.Equal(t, recorded.Digest, w.schema(first, "widgets").Status.Digest)
		})
	}
}

func TestCRDSchema_ReplacedAfterReadyIsNoticed(t *testing.T) {
	w := newWorld(t)
	w.Serve("1.0.0", two())
	w.version("1.0.0")
	w.settle(w.controller(w.Store), first)
	require.NoError(t, w.Store.Delete(t.Context(), w.schema(first, "widgets")))
	w.forged("mallory")
	w.settle(w.controller(w.Store), first)
	assert.Equal(t, "False SchemaNameTaken", w.condition(first, v1alpha1.ConditionReady))
	assert.Len(t, w.Repo.Requests(".tgz"), 1, "the recorded digests suffice")
}

func TestCRDSchema_ChangedMetadata(t *testing.T) {
	w := newWorld(t)
	w.Serve("1.0.0", two())
	w.version("1.0.0")
	r := w.controller(w.Store)
	w.settle(r, first)
	schema := w.schema(first, "widgets")
	schema.Annotations = nil
	require.NoError(t, w.Store.Update(t.Context(), schema))
	w.settle(r, first)
	assert.Equal(t, "True AsSpecified", w.condition(first, v1alpha1.ConditionReady), "annotations decide nothing")

	schema.OwnerReferences = nil
	require.NoError(t, w.Store.Update(t.Context(), schema))
	w.settle(r, first)
	assert.Equal(t, "False SchemaNameTaken", w.condition(first, v1alpha1.ConditionReady))
	assert.Contains(t, w.message(first), "The ownerReference of CRDSchema "+schema.Name)
	require.NoError(t, w.Store.Delete(t.Context(), schema))
	w.settle(r, first)
	assert.Equal(t, "True AsSpecified", w.condition(first, v1alpha1.ConditionReady), "it is created again and judged again")
}

func TestDigests_AreRecordedBeforeAnythingIsCreated(t *testing.T) {
	w := newWorld(t)
	w.Serve("1.0.0", two())
	w.version("1.0.0")
	seen := 0
	w.compare = func(schema *v1alpha1.CRDSchema) error {
		for _, one := range w.get(first).Status.CRDs {
			if one.Name == schema.Status.CRD {
				seen++
				assert.Equal(t, schema.Status.Digest, one.Digest)
			}
		}
		return nil
	}
	w.settle(w.controller(w.Store), first)
	assert.Equal(t, 2, seen)
}

// The status of an earlier release has no digests if the controller ended before it wrote them.
func TestDigests_MissingInTheStatusAreTakenFromTheChart(t *testing.T) {
	w := newWorld(t)
	w.Serve("1.0.0", two())
	w.version("1.0.0")
	r := w.controller(w.Store)
	w.settle(r, first)
	want, uid := w.get(first), w.schema(first, "widgets").UID
	changed := want.DeepCopy()
	changed.Status.CRDs[1].Digest = ""
	require.NoError(t, w.Store.Status().Update(t.Context(), changed))
	w.settle(r, first)
	assert.Equal(t, want.Status.CRDs, w.get(first).Status.CRDs)
	assert.Equal(t, "True AsSpecified", w.condition(first, v1alpha1.ConditionReady))
	assert.Equal(t, uid, w.schema(first, "widgets").UID)
}

func TestForgedCRDSchema_AControllerKilledAtEveryCall(t *testing.T) {
	for _, effect := range []bool{false, true} {
		for nth := 1; ; nth++ {
			w := newWorld(t)
			w.Serve("1.0.0", two())
			w.version("1.0.0")
			made := w.forged("mallory")
			struck := w.killedAt(nth, effect, first)
			w.settle(w.controller(w.Store), first)
			require.Equal(t, "False SchemaNameTaken", w.condition(first, v1alpha1.ConditionReady), "call %d", nth)
			require.Equal(t, made.UID, w.schema(first, "widgets").UID)
			w.Clock.Step(time.Hour)
			w.settle(w.controller(w.Store), first)
			require.Equal(t, "False SchemaNameTaken", w.condition(first, v1alpha1.ConditionReady), "call %d", nth)
			if !struck {
				require.Greater(t, nth, 5, "the run makes calls")
				break
			}
		}
	}
}
