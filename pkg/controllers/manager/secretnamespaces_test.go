// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/metadata/fake"
	clienttesting "k8s.io/client-go/testing"
)

func TestUsableSecretNamespaces(t *testing.T) {
	forbidden := apierrors.NewForbidden(corev1.Resource("secrets"), "", errors.New("no RoleBinding"))
	unavailable := apierrors.NewServiceUnavailable("starting")
	for name, c := range map[string]struct {
		listed  []string
		refused map[string]error
		usable  []string
		err     error
		// asked are the namespaces in which Secrets are listed.
		asked []string
	}{
		"all":                     {nil, nil, nil, nil, nil},
		"some":                    {[]string{"a", "b"}, nil, []string{"system", "a", "b"}, nil, []string{"a", "b"}},
		"only the installation's": {[]string{"system"}, nil, []string{"system"}, nil, nil},
		"the same twice":          {[]string{"a", "a"}, nil, []string{"system", "a"}, nil, []string{"a"}},
		"one not bound":           {[]string{"a", "b"}, map[string]error{"a": forbidden}, []string{"system", "b"}, nil, []string{"a", "b"}},
		"none bound":              {[]string{"a"}, map[string]error{"a": forbidden}, []string{"system"}, nil, []string{"a"}},
		"not known":               {[]string{"a", "b"}, map[string]error{"a": unavailable}, nil, unavailable, []string{"a"}},
	} {
		t.Run(name, func(t *testing.T) {
			kinds := runtime.NewScheme()
			require.NoError(t, metav1.AddMetaToScheme(kinds))
			client := fake.NewSimpleMetadataClient(kinds)
			var asked []string
			client.PrependReactor("list", "secrets", func(action clienttesting.Action) (bool, runtime.Object, error) {
				asked = append(asked, action.GetNamespace())
				if err := c.refused[action.GetNamespace()]; err != nil {
					return true, nil, err
				}
				return true, &metav1.List{}, nil
			})
			usable, err := usableSecretNamespaces(t.Context(), client, "system", c.listed)
			require.ErrorIs(t, err, c.err)
			assert.Equal(t, c.usable, usable)
			assert.Equal(t, c.asked, asked)
		})
	}
}

func TestManagerOptions_SecretNamespaces(t *testing.T) {
	for name, c := range map[string]struct{ usable, watched []string }{
		"all":  {nil, nil},
		"some": {[]string{"system", "a"}, []string{"a", "system"}},
	} {
		t.Run(name, func(t *testing.T) {
			options := NewOptions()
			options.usableNamespaces = c.usable
			var watched []string
			for object, held := range options.managerOptions(runtime.NewScheme(), &health{}).Cache.ByObject {
				if _, ok := object.(*corev1.Secret); ok {
					watched = slices.Sorted(maps.Keys(held.Namespaces))
				}
			}
			assert.Equal(t, c.watched, watched)
		})
	}
}

func TestSecretNamespaces_Validation(t *testing.T) {
	for value, message := range map[string]string{"": "", "a": "", "a,b-2": "", "*": `"*"`, "a,B": `"B"`, "a.b": `"a.b"`} {
		o, err := parse(t, "--namespace=system", "--secret-namespaces="+value)
		if message == "" {
			require.NoError(t, err, value)
			assert.Equal(t, value, strings.Join(o.SecretNamespaces, ","))
			continue
		}
		assert.ErrorContains(t, err, "--secret-namespaces: "+message)
	}
}
