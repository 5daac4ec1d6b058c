// SPDX-License-Identifier: Apache-2.0

package generic

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"roadstead.dev/roadstead/pkg/apis/takaro"
)

func TestCreate(t *testing.T) {
	s := NewStrategy(testKind())
	domain := &takaro.Domain{
		ObjectMeta: metav1.ObjectMeta{Name: "a", Generation: 7},
		Status:     takaro.DomainStatus{DomainID: "forged"},
	}
	s.PrepareForCreate(t.Context(), domain)
	require.Empty(t, domain.Status)
	require.EqualValues(t, 1, domain.Generation)
	require.Equal(t, "A", domain.Spec.Name)
	require.Equal(t, "create", s.Validate(t.Context(), domain)[0].Field)
	require.Equal(t, []string{"new a"}, s.WarningsOnCreate(t.Context(), domain))
	require.True(t, s.NamespaceScoped())
	require.False(t, s.AllowCreateOnUpdate(t.Context()))
	require.False(t, s.AllowUnconditionalUpdate(t.Context()))
}

// TestUpdateLaws checks for any two objects: an update of the main resource keeps the old status,
// and increments the generation exactly if the spec changes; an update of the status subresource
// keeps everything except the status.
func TestUpdateLaws(t *testing.T) {
	main := NewStrategy(testKind())
	status := NewStatusStrategy(main)
	object := rapid.Custom(func(t *rapid.T) *takaro.Domain {
		text := rapid.SampledFrom([]string{"", "a", "b"})
		d := &takaro.Domain{ObjectMeta: metav1.ObjectMeta{Name: "n", Generation: rapid.Int64Range(1, 3).Draw(t, "generation")}}
		d.Finalizers = rapid.SliceOfN(text, 0, 1).Draw(t, "finalizers")
		d.Labels = map[string]string{"l": text.Draw(t, "label")}
		d.Spec.Description, d.Status.DomainID = text.Draw(t, "description"), text.Draw(t, "id")
		return d
	})
	rapid.Check(t, func(t *rapid.T) {
		stored, sent := object.Draw(t, "stored"), object.Draw(t, "sent")
		sent.Generation = stored.Generation // the generic server has restored it before it calls a strategy
		written := sent.DeepCopy()
		main.PrepareForUpdate(context.Background(), written, stored)
		require.Equal(t, stored.Status, written.Status)
		require.Equal(t, sent.Spec, written.Spec)
		require.Equal(t, sent.Labels, written.Labels)
		require.Equal(t, stored.Spec.Description != sent.Spec.Description, written.Generation == stored.Generation+1)

		written = sent.DeepCopy()
		status.PrepareForUpdate(context.Background(), written, stored)
		require.Equal(t, sent.Status, written.Status)
		written.Status = stored.Status
		require.Equal(t, stored, written)
	})
}

func TestUpdateValidationAndWarnings(t *testing.T) {
	main := NewStrategy(testKind())
	status := NewStatusStrategy(main)
	domain := &takaro.Domain{ObjectMeta: metav1.ObjectMeta{Name: "a"}}
	require.Equal(t, "update", main.ValidateUpdate(t.Context(), domain, domain)[0].Field)
	require.Equal(t, []string{"changed a"}, main.WarningsOnUpdate(t.Context(), domain, domain))
	require.Equal(t, "status", status.ValidateUpdate(t.Context(), domain, domain)[0].Field)
	require.Empty(t, status.WarningsOnUpdate(t.Context(), domain, domain))

	bare := testKind()
	bare.Prepare, bare.ValidateCreate, bare.ValidateUpdate, bare.ValidateStatus, bare.Warnings = nil, nil, nil, nil, nil
	main = NewStrategy(bare)
	status = NewStatusStrategy(main)
	main.PrepareForCreate(t.Context(), domain)
	main.PrepareForUpdate(t.Context(), domain, domain)
	require.Empty(t, main.Validate(t.Context(), domain))
	require.Empty(t, main.ValidateUpdate(t.Context(), domain, domain))
	require.Empty(t, status.ValidateUpdate(t.Context(), domain, domain))
	require.Empty(t, main.WarningsOnCreate(t.Context(), domain))
	require.Empty(t, main.WarningsOnUpdate(t.Context(), domain, domain))
}

func TestResetFields(t *testing.T) {
	main := NewStrategy(testKind())
	const version = fieldpath.APIVersion("takaro.roadstead.dev/v1alpha1")
	require.True(t, main.GetResetFields()[version].Has(fieldpath.MakePathOrDie("status")))
	require.False(t, main.GetResetFields()[version].Has(fieldpath.MakePathOrDie("spec")))
	reset := NewStatusStrategy(main).GetResetFields()[version]
	require.True(t, reset.Has(fieldpath.MakePathOrDie("spec")))
	require.True(t, reset.Has(fieldpath.MakePathOrDie("metadata")))
	require.False(t, reset.Has(fieldpath.MakePathOrDie("status")))
}
