// SPDX-License-Identifier: Apache-2.0

package problem

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

func TestWhatIsNeverUnblocked(t *testing.T) {
	live := fake.NewClientBuilder().WithObjects(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "there"}}).Build()
	cases := []struct {
		namespace, reason string
		never             bool
	}{
		{"there", v1alpha1.ReasonSecretNotFound, false},
		{"gone", v1alpha1.ReasonSecretNotFound, true},
		{"gone", v1alpha1.ReasonEndpointUnavailable, false},
		{"gone", v1alpha1.ReasonSecretKeyMissing, false},
	}
	for _, c := range cases {
		never, err := NeverUnblocked(t.Context(), live, c.namespace, c.reason)
		assert.NoError(t, err)
		assert.Equal(t, c.never, never, "%+v", c)
	}
	broken := errors.New("no answer")
	silent := interceptor.NewClient(live, interceptor.Funcs{Get: func(context.Context, client.WithWatch, client.ObjectKey, client.Object, ...client.GetOption) error {
		return broken
	}})
	never, err := NeverUnblocked(t.Context(), silent, "gone", v1alpha1.ReasonSecretNotFound)
	assert.ErrorIs(t, err, broken)
	assert.False(t, never)
}
