// SPDX-License-Identifier: Apache-2.0

package owner

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

func configMap(uid types.UID) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "arena", UID: uid}}
}

func TestSet_ReadsTheOwnerUncached(t *testing.T) {
	unavailable := errors.New("etcd is unavailable")
	for name, c := range map[string]struct {
		live     []client.Object
		err      error
		conflict bool
		message  string
	}{
		"same UID":   {live: []client.Object{configMap("old")}},
		"other UID":  {live: []client.Object{configMap("new")}, conflict: true, message: "its UID is new and no longer old"},
		"not found":  {conflict: true, message: "it no longer exists"},
		"unreadable": {err: unavailable, message: "read the owner, ConfigMap team/arena: etcd is unavailable"},
	} {
		for kind, set := range map[string]func(context.Context, client.Reader, *runtime.Scheme, client.Object, client.Object) error{
			"controller": SetController, "owner": Add,
		} {
			t.Run(name+"/"+kind, func(t *testing.T) {
				live := interceptor.NewClient(fake.NewClientBuilder().WithObjects(c.live...).Build(), interceptor.Funcs{
					Get: func(ctx context.Context, inner client.WithWatch, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
						if c.err != nil {
							return c.err
						}
						return inner.Get(ctx, key, object, options...)
					},
				})
				owned := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "s"}}
				err := set(t.Context(), live, scheme.Scheme, configMap("old"), owned)
				require.Equal(t, c.conflict, apierrors.IsConflict(err))
				if c.message != "" {
					require.ErrorContains(t, err, c.message)
					require.Empty(t, owned.OwnerReferences)
					return
				}
				require.NoError(t, err)
				require.Equal(t, types.UID("old"), owned.OwnerReferences[0].UID)
				require.Equal(t, kind == "controller", metav1.GetControllerOf(owned) != nil)
			})
		}
	}
}
