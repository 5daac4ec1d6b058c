// SPDX-License-Identifier: Apache-2.0

package user

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apiserver/pkg/endpoints/handlers/fieldmanager"
	"k8s.io/apiserver/pkg/registry/rest"
	"pgregory.net/rapid"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"roadstead.dev/roadstead/pkg/apis/takaro"
	"roadstead.dev/roadstead/pkg/apis/takaro/install"
	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

// applied is what a field manager applies to the User eve; an empty password is omitted.
type applied struct {
	manager, password string
	fields            map[string]any
	dryRun, force     bool
}

// serverSideApply does what a PATCH of the type apply does.
func (s *store) serverSideApply(t require.TestingT, a applied) (*takaro.User, error) {
	scheme := runtime.NewScheme()
	install.Install(scheme)
	fields, err := managedfields.NewDefaultFieldManager(managedfields.NewDeducedTypeConverter(), scheme, scheme, scheme,
		v1alpha1.SchemeGroupVersion.WithKind("User"), takaro.SchemeGroupVersion, "", nil)
	require.NoError(t, err)
	spec := map[string]any{"email": "ann@example.com", "domainRef": map[string]any{"name": "arena"}}
	for name, value := range a.fields {
		spec[name] = value
	}
	if a.password != "" {
		spec["password"] = a.password
	}
	patch := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": "eve", "namespace": "team"}, "spec": spec}}
	patch.SetGroupVersionKind(v1alpha1.SchemeGroupVersion.WithKind("User"))
	info := rest.DefaultUpdatedObjectInfo(nil, func(_ context.Context, _, old runtime.Object) (runtime.Object, error) {
		return fields.Apply(old, patch.DeepCopy(), a.manager, a.force)
	}, fieldmanager.IgnoreManagedFieldsTimestampsTransformer)
	options := &metav1.UpdateOptions{FieldManager: a.manager}
	if a.dryRun {
		options.DryRun = []string{metav1.DryRunAll}
	}
	answer, _, err := s.Update(s.ctx(), "eve", info, rest.ValidateAllObjectFunc, rest.ValidateAllObjectUpdateFunc, true, options)
	if err != nil {
		return nil, err
	}
	return answer.(*takaro.User), nil
}

// owners returns the managers that own spec.password by an apply, in the order of their names.
func owners(t require.TestingT, user *takaro.User) []string {
	owners := []string{}
	for _, entry := range user.ManagedFields {
		set := &fieldpath.Set{}
		require.NoError(t, set.FromJSON(bytes.NewReader(entry.FieldsV1.GetRawBytes())))
		if set.Has(fieldpath.MakePathOrDie("spec", "password")) {
			owners = append(owners, entry.Manager)
		}
	}
	slices.Sort(owners)
	return owners
}

func TestApply_TwoManagersOfAPassword(t *testing.T) {
	const same, other = "correct-horse", "battery-staple"
	for name, c := range map[string]struct {
		then    applied
		owners  []string
		remains string
	}{
		"equal value":               {applied{manager: "two", password: same}, []string{"one", "two"}, same},
		"equal value, forced":       {applied{manager: "two", password: same, force: true}, []string{"one", "two"}, same},
		"another value":             {applied{manager: "two", password: other}, []string{"two"}, other},
		"no value":                  {applied{manager: "two"}, []string{"one"}, same},
		"its own value again":       {applied{manager: "one", password: same}, []string{"one"}, same},
		"its own new value":         {applied{manager: "one", password: other}, []string{"one"}, other},
		"its own no more":           {applied{manager: "one"}, []string{}, same},
		"dry run of an equal value": {applied{manager: "two", password: same, dryRun: true}, []string{"two"}, same},
		"dry run of another value":  {applied{manager: "two", password: other, dryRun: true}, []string{"two"}, other},
		"dry run without a value":   {applied{manager: "two", dryRun: true}, []string{"one"}, same},
		"equal value and another field": {applied{manager: "two", password: same, fields: map[string]any{"deletionPolicy": "Retain"}},
			[]string{"one", "two"}, same},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			_, err := s.serverSideApply(t, applied{manager: "one", password: same})
			require.NoError(t, err)
			user, err := s.serverSideApply(t, c.then)
			require.NoError(t, err, "a write-only field never conflicts")
			require.Equal(t, c.owners, owners(t, user))
			require.Equal(t, c.remains, string(*user.Spec.Password))
		})
	}
}

// TestApply_OtherFieldsStillConflict: only the write-only field is exempt.
func TestApply_OtherFieldsStillConflict(t *testing.T) {
	s := newStore(t)
	_, err := s.serverSideApply(t, applied{manager: "one", password: storedPassword, fields: map[string]any{"deletionPolicy": "Delete"}})
	require.NoError(t, err)
	retain := map[string]any{"deletionPolicy": "Retain"}
	for _, password := range []string{storedPassword, "another-one", ""} {
		_, err = s.serverSideApply(t, applied{manager: "two", password: password, fields: retain})
		require.ErrorContains(t, err, `conflict with "one": .spec.deletionPolicy`)
		require.NotContains(t, err.Error(), "password")
	}
}

// TestApply_Repeated: a manifest that is applied again writes nothing, however many managers apply it.
func TestApply_Repeated(t *testing.T) {
	s := newStore(t)
	rapid.Check(t, func(t *rapid.T) {
		managers := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"one", "two", "three"}), 1, 3, rapid.ID[string]).Draw(t, "managers")
		var last *takaro.User
		for round := range 2 {
			for _, manager := range managers {
				user, err := s.serverSideApply(t, applied{manager: manager, password: storedPassword})
				require.NoError(t, err)
				if round > 0 {
					require.Equal(t, last.ResourceVersion, user.ResourceVersion, fmt.Sprint(manager, " wrote"))
				}
				last = user
			}
		}
		for _, manager := range managers {
			require.Contains(t, owners(t, last), manager)
		}
	})
}
