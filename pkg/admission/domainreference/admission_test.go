// SPDX-License-Identifier: Apache-2.0

package domainreference

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/warning"

	"roadstead.dev/roadstead/pkg/apis/takaro"
)

// domains are stored Domains by namespace and name; nil stands for a store that is unavailable.
type domains map[[2]string]*takaro.Domain

func (d domains) Get(_ context.Context, resource schema.GroupResource, namespace, name string) (runtime.Object, error) {
	if d == nil {
		return nil, errors.New("etcd is down")
	}
	if domain, found := d[[2]string{namespace, name}]; found && resource == takaro.Resource("domains") {
		return domain, nil
	}
	return nil, apierrors.NewNotFound(resource, name)
}

func (d domains) List(context.Context, schema.GroupResource, string, func(runtime.Object) bool) ([]runtime.Object, error) {
	return nil, errors.New("no list is needed")
}

// warnings records the warnings that a client would receive.
type warnings []string

func (w *warnings) AddWarning(_, text string) { *w = append(*w, text) }

func TestValidate(t *testing.T) {
	users := takaro.Resource("users")
	user := func(domain string) *takaro.User {
		return &takaro.User{Spec: takaro.UserSpec{DomainRef: takaro.LocalObjectReference{Name: domain}}}
	}
	going := metav1.NewTime(time.Unix(1, 0))
	for name, c := range map[string]struct {
		resource             schema.GroupResource
		object               runtime.Object
		subresource, warning string
		down                 bool
		check                func(error) bool
	}{
		"there":            {resource: users, object: user("there")},
		"absent":           {resource: users, object: user("absent"), warning: `Domain "absent" does not exist in namespace "ns" yet`},
		"in another place": {resource: users, object: user("elsewhere"), warning: `Domain "elsewhere"`},
		"being deleted":    {resource: users, object: user("going"), check: apierrors.IsForbidden},
		"not read":         {resource: users, object: user("there"), down: true, check: apierrors.IsServiceUnavailable},
		"no reference":     {resource: users, object: user("")},
		"subresource":      {resource: users, object: user("going"), subresource: "status"},
		"another kind":     {resource: takaro.Resource("domains"), object: user("going")},
		"not of this type": {resource: users, object: &runtime.Unknown{}},
	} {
		t.Run(name, func(t *testing.T) {
			objects := domains{
				{"ns", "there"}:        {},
				{"other", "elsewhere"}: {},
				{"ns", "going"}:        {ObjectMeta: metav1.ObjectMeta{DeletionTimestamp: &going}},
			}
			if c.down {
				objects = nil
			}
			plugin, told := New(), &warnings{}
			assert.Error(t, plugin.ValidateInitialization())
			plugin.SetObjects(objects)
			require.NoError(t, plugin.ValidateInitialization())
			err := plugin.Validate(warning.WithWarningRecorder(t.Context(), told), attributes(c.object, c.resource, c.subresource), nil)
			if c.check == nil {
				require.NoError(t, err)
			} else {
				assert.True(t, c.check(err), "%v", err)
				assert.ErrorContains(t, err, "spec.domainRef")
				assert.ErrorContains(t, err, `Domain "`+c.object.(*takaro.User).Spec.DomainRef.Name+`"`)
			}
			if c.warning == "" {
				assert.Empty(t, *told)
			} else {
				require.Len(t, *told, 1)
				assert.Contains(t, (*told)[0], c.warning)
			}
		})
	}
	assert.True(t, New().Handles(admission.Create))
	assert.False(t, New().Handles(admission.Update), "the reference is immutable")
	assert.False(t, New().Handles(admission.Delete))
}

func attributes(object runtime.Object, resource schema.GroupResource, subresource string) admission.Attributes {
	return admission.NewAttributesRecord(object, nil, schema.GroupVersionKind{}, "ns", "name", resource.WithVersion("v1alpha1"), subresource,
		admission.Create, nil, false, &user.DefaultInfo{Name: "u"})
}
