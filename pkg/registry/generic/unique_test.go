// SPDX-License-Identifier: Apache-2.0

package generic

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	genericregistry "k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/rest"

	"roadstead.dev/roadstead/pkg/apis/takaro"
	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/registry/generic/storetest"
	"roadstead.dev/roadstead/pkg/storage/unique"
)

// friend may get the object ns/holder; all other requests are denied.
var friend = authorizer.AuthorizerFunc(func(_ context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
	if a.GetUser().GetName() == "friend" && a.GetVerb() == "get" && a.GetNamespace() == "ns" && a.GetName() == "holder" {
		return authorizer.DecisionAllow, "", nil
	}
	return authorizer.DecisionNoOpinion, "", nil
})

// uniqueKind has a unique reference, and unique types of conditions.
func uniqueKind() Kind[*takaro.Domain] {
	kind := testKind()
	kind.ValidateCreate, kind.ValidateUpdate, kind.ValidateStatus = nil, nil, nil
	kind.Authorizer = friend
	kind.Unique = []UniqueField[*takaro.Domain]{{Field: "spec.externalReferenceId", Value: func(d *takaro.Domain) unique.Value {
		if d.Spec.ExternalReferenceID == "" {
			return nil
		}
		return unique.Value{d.Spec.TakaroAPIURL, d.Spec.ExternalReferenceID}
	}}}
	kind.StatusUnique = []UniqueStatusField[*takaro.Domain]{{Field: "status.conditions", Folder: "conditions",
		Values: func(d *takaro.Domain) (all []unique.Value) {
			for _, condition := range d.Status.Conditions {
				all = append(all, unique.Value{condition.Type})
			}
			return all
		}}}
	return kind
}

type uniqueStore struct {
	*testing.T
	main   *REST
	status *StatusREST
	// admitted counts the calls of admission, whose last plugin is ResourceQuota.
	admitted int
}

func newUniqueStore(t *testing.T) *uniqueStore {
	main, status, err := NewStore(uniqueKind(), ReportUnavailable(storetest.New(t, scheme, v1alpha1.SchemeGroupVersion)))
	require.NoError(t, err)
	t.Cleanup(main.Destroy)
	storetest.Ready(t, main)
	return &uniqueStore{T: t, main: main, status: status}
}

func (s *uniqueStore) as(name string) context.Context {
	ctx := genericapirequest.WithRequestInfo(s.Context(), &genericapirequest.RequestInfo{APIGroup: takaro.GroupName,
		APIVersion: "v1alpha1", Resource: "domains"})
	return genericapirequest.WithNamespace(genericapirequest.WithUser(ctx, &user.DefaultInfo{Name: name}), "ns")
}

func referring(name, reference string) *takaro.Domain {
	return &takaro.Domain{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "ns"}, Spec: takaro.DomainSpec{TakaroAPIURL: "https://a.test",
		ExternalReferenceID: reference}}
}

func (s *uniqueStore) create(ctx context.Context, d *takaro.Domain, dry ...string) error {
	_, err := s.main.Create(ctx, d, func(context.Context, runtime.Object) error { s.admitted++; return nil },
		&metav1.CreateOptions{DryRun: dry})
	return err
}

// condition adds a value to the status.
func (s *uniqueStore) condition(ctx context.Context, name, value string, dry ...string) error {
	stored, err := s.status.Get(ctx, name, &metav1.GetOptions{})
	require.NoError(s, err)
	changed := stored.DeepCopyObject().(*takaro.Domain)
	changed.Status.Conditions = append(changed.Status.Conditions, metav1.Condition{Type: value})
	_, _, err = s.status.Update(ctx, name, rest.DefaultUpdatedObjectInfo(changed), rest.ValidateAllObjectFunc,
		rest.ValidateAllObjectUpdateFunc, false, &metav1.UpdateOptions{DryRun: dry})
	return err
}

func TestUnique_DuplicateIsInvalidAtTheField(t *testing.T) {
	s := newUniqueStore(t)
	require.NoError(t, s.create(s.as("friend"), referring("holder", "xxx")))
	for caller, holder := range map[string]string{"friend": "domains.takaro.roadstead.dev ns/holder", "stranger": "another object"} {
		for _, dry := range [][]string{nil, {metav1.DryRunAll}} {
			err := s.create(s.as(caller), referring("bbb", "xxx"), dry...)
			require.True(t, apierrors.IsInvalid(err), "%v", err)
			status := err.(apierrors.APIStatus).Status()
			require.EqualValues(t, 422, status.Code)
			require.Equal(t, "Domain", status.Details.Kind)
			require.Equal(t, "bbb", status.Details.Name)
			require.Equal(t, []metav1.StatusCause{{
				Type: metav1.CauseTypeFieldValueDuplicate, Field: "spec.externalReferenceId",
				Message: `Duplicate value: "xxx": the value is in use by ` + holder + "; use another value or delete that object first",
			}}, status.Details.Causes)
			if caller == "stranger" {
				require.NotContains(t, err.Error(), "holder")
			}
		}
	}
	require.Equal(t, 1, s.admitted, "a duplicate costs no quota")
	require.True(t, apierrors.IsAlreadyExists(s.create(s.as("friend"), referring("holder", "xxx"))))
	require.True(t, apierrors.IsAlreadyExists(s.create(s.as("friend"), referring("holder", "xxx"), metav1.DryRunAll)))
}

func TestUnique_ApplyOfADuplicate(t *testing.T) {
	s := newUniqueStore(t)
	require.NoError(t, s.create(s.as("friend"), referring("holder", "xxx")))
	_, _, err := s.main.Update(s.as("friend"), "bbb", rest.DefaultUpdatedObjectInfo(referring("bbb", "xxx")), func(context.Context,
		runtime.Object) error {
		s.admitted++
		return nil
	}, rest.ValidateAllObjectUpdateFunc, true, &metav1.UpdateOptions{})
	require.True(t, apierrors.IsInvalid(err), "%v", err)
	require.Equal(t, 1, s.admitted)
}

func TestUnique_DuplicateInStatusIsAConflict(t *testing.T) {
	s := newUniqueStore(t)
	for _, name := range []string{"holder", "bbb"} {
		require.NoError(t, s.create(s.as("friend"), referring(name, name)))
	}
	require.NoError(t, s.condition(s.as("friend"), "holder", "one"))
	for caller, holder := range map[string]string{"friend": "domains.takaro.roadstead.dev ns/holder", "stranger": "another object"} {
		for _, dry := range [][]string{nil, {metav1.DryRunAll}} {
			err := s.condition(s.as(caller), "bbb", "one", dry...)
			require.True(t, apierrors.IsConflict(err), "%v", err)
			require.Equal(t, []metav1.StatusCause{{Type: CauseClaimed, Field: "status.conditions", Message: `"one" is in use by ` + holder}},
				err.(apierrors.APIStatus).Status().Details.Causes)
		}
	}
	require.NoError(t, s.condition(s.as("friend"), "bbb", "two", metav1.DryRunAll))
	require.NoError(t, s.condition(s.as("friend"), "holder", "two"), "a dry run reserves nothing")
}

func TestNewStore_UniqueValuesNotSupported(t *testing.T) {
	kind := uniqueKind()
	_, _, err := NewStore(kind, cacheless{})
	require.ErrorContains(t, err, "does not support storage with unique values of spec.externalReferenceId")
	_, _, err = NewStore(kind, ReportUnavailable(cacheless{}))
	require.ErrorContains(t, err, "does not support storage with unique values of spec.externalReferenceId")
	getter := storetest.New(t, scheme, v1alpha1.SchemeGroupVersion)
	_, _, err = NewStore(kind, forgetful{getter})
	require.ErrorContains(t, err, "does not support unique values")
	kind.StatusUnique[0].Folder = ""
	_, _, err = NewStore(kind, getter)
	require.ErrorContains(t, err, "spec.externalReferenceId and status.conditions have the same folder")
}

// forgetful is a getter whose storage ignores that values must be unique.
type forgetful struct {
	genericregistry.RESTOptionsGetter
}

// WithUnique implements Uniquely.
func (f forgetful) WithUnique([]unique.Field) (genericregistry.RESTOptionsGetter, error) {
	return f, nil
}

func TestExplain_ShowsNothingOfOtherErrors(t *testing.T) {
	require.NoError(t, refusals{}.explain(t.Context(), nil))
	other := errors.New("other")
	require.Equal(t, other, refusals{}.explain(t.Context(), other))
	taken := refusals{authorizer: friend}.explain(t.Context(), &unique.TakenError{Field: "spec.x", Holder: unique.Owner{Name: "secretive"}})
	require.NotContains(t, taken.Error(), "secretive", "nobody is asking")
}
