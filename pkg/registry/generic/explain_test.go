// SPDX-License-Identifier: Apache-2.0

package generic

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/operation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"

	"roadstead.dev/roadstead/pkg/apis/takaro"
)

// declared returns the errors of declarative validation; old is nil for a create.
func declared(t *testing.T, object, old *takaro.Domain) string {
	t.Helper()
	ctx := genericapirequest.WithRequestInfo(t.Context(), &genericapirequest.RequestInfo{APIGroup: takaro.GroupName,
		APIVersion: "v1alpha1", Resource: "domains"})
	var errs field.ErrorList
	validate := NewStrategy(testKind()).ValidateDeclaratively
	if old == nil {
		errs = validate(ctx, object, nil, nil, operation.Create, rest.DeclarativeValidationConfig{})
	} else {
		errs = validate(ctx, object, old, nil, operation.Update, rest.DeclarativeValidationConfig{})
	}
	if len(errs) == 0 {
		return ""
	}
	return errs.ToAggregate().Error()
}

func domainNamed(object, name string) *takaro.Domain {
	return &takaro.Domain{ObjectMeta: metav1.ObjectMeta{Name: object, Namespace: "team"}, Spec: takaro.DomainSpec{
		Name: name, TakaroAPIURL: "https://api.takaro.example", DeletionPolicy: takaro.DeletionPolicyDelete,
	}}
}

func TestExplain_ImmutableFieldsShowBothValues(t *testing.T) {
	stored, changed, longer := domainNamed("arena", "arena"), domainNamed("arena", "arena"), domainNamed("arena", "arena")
	require.Empty(t, declared(t, changed, stored))
	changed.Spec.TakaroAPIURL = "https://other.example"
	require.Equal(t, `spec.takaroApiUrl: Invalid value: "https://other.example": field is immutable; `+
		`the current value is "https://api.takaro.example"`,
		declared(t, changed, stored))
	changed = domainNamed("arena", "arena")
	changed.Spec.ExternalReferenceID = "new"
	require.Equal(t, `spec.externalReferenceId: Invalid value: "new": field is immutable; the current value is not set`,
		declared(t, changed, stored))
	require.Equal(t, `spec.externalReferenceId: Invalid value: field is immutable; the current value is "new"`, declared(t, stored, changed))
	longer.Spec.TakaroAPIURL = "https://" + strings.Repeat("x", maxShown)
	text := declared(t, longer, stored)
	require.NotContains(t, text, "xxx", "a long value hides what the error says")
	require.NotContains(t, text, "null")
}

func TestExplain_DefaultName(t *testing.T) {
	text := declared(t, domainNamed("u1", "u1"), nil)
	require.Contains(t, text, "spec.name: Too short")
	require.Contains(t, text, "it defaults to metadata.name")
	require.NotContains(t, declared(t, domainNamed("arena", "u1"), nil), "metadata.name", "somebody typed this one")
	require.NotContains(t, declared(t, domainNamed("u1", "u2"), domainNamed("u1", "arena")), "metadata.name")
	require.Empty(t, declared(t, domainNamed("arena", "arena"), nil))
}

var _ rest.DeclarativeValidationStrategy = Strategy[*takaro.Domain]{}

// Errors of other origins, and errors about objects that cannot be converted, do not change.
func TestExplain_UnknownOriginsAndObjects(t *testing.T) {
	errs := field.ErrorList{field.Invalid(field.NewPath("spec", "roles").Index(0), nil, "field is immutable").WithOrigin(immutableOrigin),
		field.Required(field.NewPath("spec"), "")}
	testKind().explain(errs, domainNamed("a", "a"), domainNamed("a", "a"))
	require.Equal(t, "[spec.roles[0]: Invalid value: field is immutable, spec: Required value]", errs.ToAggregate().Error())
}
