// SPDX-License-Identifier: Apache-2.0

package peer

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	release "roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	takaro "roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/engine/crd/compare"
	crdpolicy "roadstead.dev/roadstead/pkg/engine/crd/policy"
)

// Indexes of the informers.
const (
	byLogin     = "login"
	byReference = "reference"
)

// index adds the indexes for unique values.
func index(ctx context.Context, indexer client.FieldIndexer) error {
	err := indexer.IndexField(ctx, &takaro.User{}, byLogin, func(object client.Object) []string {
		return []string{login(object.(*takaro.User))}
	})
	if err != nil {
		return err
	}
	return indexer.IndexField(ctx, &takaro.Domain{}, byReference, func(object client.Object) []string {
		domain := object.(*takaro.Domain)
		if domain.Spec.ExternalReferenceID == "" {
			return nil
		}
		return []string{reference(domain)}
	})
}

func login(user *takaro.User) string {
	return user.Spec.DomainRef.Name + "\x00" + strings.ToLower(user.Spec.Email)
}

func reference(domain *takaro.Domain) string {
	return domain.Spec.TakaroAPIURL + "\x00" + domain.Spec.ExternalReferenceID
}

// validator implements the rules that read other objects. Its cache may be some milliseconds
// behind, so that two concurrent requests may both pass: a webhook cannot reserve a value.
type validator struct {
	reader  client.Reader
	decoder admission.Decoder
}

// Handle answers an admission review of a new object.
func (v *validator) Handle(ctx context.Context, request admission.Request) admission.Response {
	switch request.Kind.Kind {
	case User.Name:
		return reviewed(ctx, v, request, v.user)
	case Domain.Name:
		return reviewed(ctx, v, request, v.domain)
	case CRDSchema.Name:
		return reviewed(ctx, v, request, v.schema)
	}
	return admission.Errored(http.StatusBadRequest, fmt.Errorf("the webhook knows no %s", request.Kind.Kind))
}

// reviewed decodes the object and calls the rule of its kind, which returns warnings and the reason
// of a refusal.
func reviewed[T any, P interface {
	*T
	client.Object
}](ctx context.Context, v *validator, request admission.Request, rule func(context.Context, P) ([]string, string,
	error)) admission.Response {
	object := P(new(T))
	if err := v.decoder.Decode(request, object); err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	object.SetNamespace(request.Namespace)
	warnings, refusal, err := rule(ctx, object)
	switch {
	case err != nil:
		return admission.Errored(http.StatusInternalServerError, err)
	case refusal != "":
		return admission.Denied(refusal)
	}
	return admission.Allowed("").WithWarnings(warnings...)
}

// user warns about a missing Domain, and refuses a Domain that is being deleted and a login that is
// already in use.
func (v *validator) user(ctx context.Context, user *takaro.User) (warnings []string, refusal string, err error) {
	var domain takaro.Domain
	err = v.reader.Get(ctx, types.NamespacedName{Namespace: user.Namespace, Name: user.Spec.DomainRef.Name}, &domain)
	switch {
	case apierrors.IsNotFound(err):
		warnings = append(warnings, fmt.Sprintf("spec.domainRef: Domain %q is not there yet", user.Spec.DomainRef.Name))
	case err != nil:
		return nil, "", err
	case domain.DeletionTimestamp != nil:
		return nil, fmt.Sprintf("spec.domainRef: Domain %q is being deleted", domain.Name), nil
	}
	var same takaro.UserList
	if err := v.reader.List(ctx, &same, client.InNamespace(user.Namespace), client.MatchingFields{byLogin: login(user)}); err != nil {
		return nil, "", err
	}
	if len(same.Items) > 0 {
		return nil, fmt.Sprintf("spec.email is that of User %q", same.Items[0].Name), nil
	}
	return warnings, "", nil
}

// domain refuses a reference that another Domain uses.
func (v *validator) domain(ctx context.Context, domain *takaro.Domain) (warnings []string, refusal string, err error) {
	if strings.HasPrefix(domain.Spec.TakaroAPIURL, "http://") {
		warnings = append(warnings, "spec.takaroApiUrl uses http")
	}
	if domain.Spec.ExternalReferenceID == "" {
		return warnings, "", nil
	}
	var same takaro.DomainList
	if err := v.reader.List(ctx, &same, client.MatchingFields{byReference: reference(domain)}); err != nil {
		return nil, "", err
	}
	if len(same.Items) > 0 {
		return nil, fmt.Sprintf("spec.externalReferenceId is that of Domain %s/%s", same.Items[0].Namespace, same.Items[0].Name), nil
	}
	return warnings, "", nil
}

// schema refuses a CRD that breaks its predecessor.
func (v *validator) schema(ctx context.Context, schema *release.CRDSchema) (warnings []string, refusal string, err error) {
	definition, err := crdpolicy.Decode(schema.Spec.Definition.Raw)
	if err != nil {
		return nil, "spec.definition " + err.Error(), nil
	}
	if schema.Spec.AgainstRef == nil {
		return nil, "", nil
	}
	var against release.CRDSchema
	if err := v.reader.Get(ctx, types.NamespacedName{Name: schema.Spec.AgainstRef.Name}, &against); err != nil {
		if apierrors.IsNotFound(err) {
			return nil, fmt.Sprintf("spec.againstRef: CRDSchema %q does not exist", schema.Spec.AgainstRef.Name), nil
		}
		return nil, "", err
	}
	old, err := crdpolicy.Decode(against.Spec.Definition.Raw)
	if err != nil {
		return nil, "", err
	}
	report := compare.Compare(old, definition, compare.Options{})
	if crdpolicy.Decide(report, crdpolicy.RequireApproval, false).Refuses() {
		return nil, fmt.Sprintf("the change from CRDSchema %s is %s", against.Name, report.Verdict.Describe()), nil
	}
	return crdpolicy.Warnings(report), "", nil
}
