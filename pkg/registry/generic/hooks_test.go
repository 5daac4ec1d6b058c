// SPDX-License-Identifier: Apache-2.0

package generic

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/authentication/user"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"

	"roadstead.dev/roadstead/pkg/apis/takaro"
)

func TestStamp_OnCreateOnly(t *testing.T) {
	kind := testKind()
	kind.Stamp = func(ctx context.Context, d *takaro.Domain) {
		caller, _ := genericapirequest.UserFrom(ctx)
		d.Status.DomainID = caller.GetName() + " made " + d.Spec.Name
	}
	s := NewStrategy(kind)
	ctx := genericapirequest.WithUser(t.Context(), &user.DefaultInfo{Name: "ann"})
	domain := &takaro.Domain{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Status: takaro.DomainStatus{DomainID: "forged", Phase: "forged"}}
	s.PrepareForCreate(ctx, domain)
	require.Equal(t, takaro.DomainStatus{DomainID: "ann made A"}, domain.Status, "after the status was emptied and the spec prepared")

	other := genericapirequest.WithUser(t.Context(), &user.DefaultInfo{Name: "bob"})
	changed := domain.DeepCopy()
	s.PrepareForUpdate(other, changed, domain)
	require.Equal(t, domain.Status, changed.Status)
	status := NewStatusStrategy(s)
	status.PrepareForUpdate(other, changed, domain)
	require.Equal(t, domain.Status, changed.Status)
}

func TestStatusUpdate_KeepsOtherFields(t *testing.T) {
	kind := testKind()
	kind.KeepStatus = func(to, stored *takaro.Domain) { to.Status.DomainID = stored.Status.DomainID }
	status := NewStatusStrategy(NewStrategy(kind))
	stored := &takaro.Domain{Status: takaro.DomainStatus{DomainID: "kept", Phase: "Old"}}
	for _, sent := range []string{"", "forged"} {
		changed := &takaro.Domain{Status: takaro.DomainStatus{DomainID: sent, Phase: "New"}}
		status.PrepareForUpdate(t.Context(), changed, stored)
		require.Equal(t, takaro.DomainStatus{DomainID: "kept", Phase: "New"}, changed.Status)
	}
}

func TestOnlyValidObjectsAreJudged(t *testing.T) {
	kind := testKind()
	var judged int
	kind.Judge = func(context.Context, *takaro.Domain) field.ErrorList {
		judged++
		return field.ErrorList{field.Forbidden(field.NewPath("judge"), "")}
	}
	errs := NewStrategy(kind).Validate(t.Context(), &takaro.Domain{})
	require.Equal(t, "create", errs[0].Field)
	require.Zero(t, judged)

	kind.ValidateCreate = nil
	errs = NewStrategy(kind).Validate(t.Context(), &takaro.Domain{})
	require.Len(t, errs, 1)
	require.Equal(t, "judge", errs[0].Field)
	require.Empty(t, NewStatusStrategy(NewStrategy(Kind[*takaro.Domain]{})).ValidateUpdate(t.Context(), &takaro.Domain{}, &takaro.Domain{}))
	NewStrategy(kind).ValidateUpdate(t.Context(), &takaro.Domain{}, &takaro.Domain{})
	require.Equal(t, 1, judged, "an update is not judged")
}
