// SPDX-License-Identifier: Apache-2.0

package endpoint

import (
	"strings"
	"testing"

	"github.com/go-logr/logr/funcr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"roadstead.dev/roadstead/pkg/controllers/secrets"
)

func TestUnusableEndpointsAreToldOncePerChange(t *testing.T) {
	var lines []string
	ctx := log.IntoContext(t.Context(), funcr.New(func(_, line string) { lines = append(lines, line) }, funcr.Options{}))
	store := fake.NewClientBuilder().WithObjects(
		installed("good", map[string]string{"url": "https://api.example", "adminToken": "good-token"}),
		installed("bad", map[string]string{"url": "ftp://private.example", "adminToken": "bad-token"}),
	).Build()
	r := NewResolver(store, secrets.NewReader(store, store), system, nil)
	told := func() string {
		lines = nil
		for range 3 {
			_, err := r.Resolve(ctx, domain("https://api.example"))
			require.NoError(t, err)
		}
		require.LessOrEqual(t, len(lines), 1, "once per change")
		return strings.Join(lines, "")
	}
	change := func(data map[string]string) {
		bad := &corev1.Secret{}
		require.NoError(t, store.Get(ctx, client.ObjectKey{Namespace: system, Name: "bad"}, bad))
		bad.Data = installed("bad", data).Data
		require.NoError(t, store.Update(ctx, bad))
	}

	first := told()
	assert.Contains(t, first, "roadstead-system/bad")
	assert.Contains(t, first, `\"url\"`)
	assert.NotContains(t, first, "private.example")
	assert.NotContains(t, first, "bad-token")
	assert.Empty(t, told(), "it is the same")

	change(map[string]string{"url": "https://other.example", "adminToken": " \n"})
	assert.Contains(t, told(), `\"adminToken\"`)
	change(map[string]string{"adminToken": "bad-token"})
	assert.Contains(t, told(), `no value under key \"url\"`)
	change(map[string]string{"url": "https://other.example", "adminToken": "now-good"})
	assert.Empty(t, told(), "it is usable")

	require.NoError(t, store.Delete(ctx, installed("bad", nil)))
	assert.Empty(t, told())
	assert.Empty(t, r.unusable.told, "what is gone is forgotten")
	require.NoError(t, store.Create(ctx, installed("bad", nil)))
	assert.NotEmpty(t, told(), "a new one of the name")
}
