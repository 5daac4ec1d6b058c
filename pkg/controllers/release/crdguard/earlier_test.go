// SPDX-License-Identifier: Apache-2.0

package crdguard

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"roadstead.dev/roadstead/pkg/engine/crd/compare"
	crdpolicy "roadstead.dev/roadstead/pkg/engine/crd/policy"
)

// TestDecide_AChangeDoesNotAllowItself processes the events of a CRD: a sequence of states, of
// which only the last one is reconciled.
func TestDecide_AChangeDoesNotAllowItself(t *testing.T) {
	digest := compare.Compare(definition(1, 100), definition(2, 10), compare.Options{SkipRefusal: true}).Digest
	allowed := crdpolicy.AllowChange(digest, 1)
	for name, c := range map[string]struct {
		states []*apiextensionsv1.CustomResourceDefinition
		missed bool
	}{
		"allowed, then changed": {[]*apiextensionsv1.CustomResourceDefinition{
			definition(1, 100), definition(1, 100, crdpolicy.AllowChangeAnnotation, allowed),
			definition(2, 10, crdpolicy.AllowChangeAnnotation, allowed)}, false},
		"allowed, changed, and taken back": {[]*apiextensionsv1.CustomResourceDefinition{
			definition(1, 100, crdpolicy.AllowChangeAnnotation, allowed), definition(2, 10, crdpolicy.AllowChangeAnnotation, allowed),
			definition(2, 10)}, false},
		"allowed with the change": {[]*apiextensionsv1.CustomResourceDefinition{
			definition(1, 100), definition(2, 10, crdpolicy.AllowChangeAnnotation, allowed)}, true},
		"allowed after the change": {[]*apiextensionsv1.CustomResourceDefinition{
			definition(1, 100), definition(2, 10), definition(2, 10, crdpolicy.AllowChangeAnnotation, allowed)}, true},
		"Warn, then changed": {[]*apiextensionsv1.CustomResourceDefinition{
			definition(1, 100), definition(1, 100, crdpolicy.PolicyAnnotation, "Warn"), definition(2, 10, crdpolicy.PolicyAnnotation, "Warn")},
			false},
		"Warn with the change": {[]*apiextensionsv1.CustomResourceDefinition{
			definition(1, 100), definition(2, 10, crdpolicy.PolicyAnnotation, "Warn")}, true},
		"Off with the change": {[]*apiextensionsv1.CustomResourceDefinition{
			definition(1, 100), definition(2, 10, crdpolicy.PolicyAnnotation, "Off")}, true},
	} {
		t.Run(name, func(t *testing.T) {
			before := newEarlier()
			events := before.noting(matters)
			assert.True(t, events.Create(event.CreateEvent{Object: c.states[0]}))
			for i := 1; i < len(c.states); i++ {
				events.Update(event.UpdateEvent{ObjectOld: c.states[i-1], ObjectNew: c.states[i]})
			}
			last := c.states[len(c.states)-1]
			found, err := decide(seen(t, definition(1, 100)), last, crdpolicy.Deny, before.of(last.UID))
			require.NoError(t, err)
			assert.Equal(t, c.missed, found.missed != nil)
			assert.True(t, events.Delete(event.DeleteEvent{Object: last}))
			assert.Empty(t, before.of(last.UID))
		})
	}
}

func TestEarlier_IsBounded(t *testing.T) {
	before := newEarlier()
	for i := range int64(100) {
		before.note(definition(i, 1, crdpolicy.PolicyAnnotation, "Warn"))
		before.note(definition(i, 1))
	}
	kept := before.of(definition(1, 1).UID)
	require.Len(t, kept, maxEarlier)
	require.EqualValues(t, 99, kept[maxEarlier-1].generation)
}
