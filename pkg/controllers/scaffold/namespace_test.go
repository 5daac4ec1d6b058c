// SPDX-License-Identifier: Apache-2.0

package scaffold

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

func TestOnlyTheAPIServerSaysThatANamespaceIsAbsent(t *testing.T) {
	resource := corev1.Resource("namespaces")
	cases := map[string]struct {
		err    error
		absent bool
		failed bool
	}{
		"there":            {},
		"404":              {apierrors.NewNotFound(resource, "team"), true, false},
		"404 of a proxy":   {apierrors.NewGenericServerResponse(http.StatusNotFound, "GET", resource, "team", "<html>", 0, true), false, true},
		"403":              {apierrors.NewForbidden(resource, "team", nil), false, true},
		"503":              {apierrors.NewServiceUnavailable("starting"), false, true},
		"gone as expired":  {apierrors.NewResourceExpired("old"), false, true},
		"end of the asker": {context.Canceled, false, true},
	}
	for name, c := range cases {
		base := fake.NewClientBuilder().WithObjects(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team"}}).Build()
		live := interceptor.NewClient(base, interceptor.Funcs{Get: func(ctx context.Context, real client.WithWatch, key client.ObjectKey, object client.Object, _ ...client.GetOption) error {
			if c.err != nil {
				return c.err
			}
			return real.Get(ctx, key, object)
		}})
		absent, err := NamespaceAbsent(t.Context(), live, "team")
		assert.Equal(t, c.absent, absent, name)
		assert.Equal(t, c.failed, err != nil, name)
	}
}
