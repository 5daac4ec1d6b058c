// SPDX-License-Identifier: Apache-2.0

package controllertest

import (
	"fmt"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/controllers/base/slots"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// Occupy occupies all slots that the namespace of the object has at the world's Takaro, for other
// objects. The returned function releases one of them.
func (w *World[T]) Occupy(s *slots.Slots[endpoint.Key]) (leave func()) {
	w.T.Helper()
	url, err := takaro.NormalizeURL(w.Front.URL)
	require.NoError(w.T, err)
	key := endpoint.KeyOf(takaro.Endpoint{URL: url, AdminToken: takaro.NewSecret(w.Takaro.AdminToken()), Own: true})
	var turns []*slots.Turn[endpoint.Key]
	for n := 0; ; n++ {
		turn := s.Begin(reconcile.Request{NamespacedName: types.NamespacedName{Namespace: Namespace, Name: fmt.Sprint("other-", n)}})
		if !turn.TryEnter(key, true) {
			s.Begin(reconcile.Request{NamespacedName: types.NamespacedName{Namespace: Namespace, Name: fmt.Sprint("other-", n)}}).End()
			break
		}
		turns = append(turns, turn)
	}
	require.NotEmpty(w.T, turns)
	return func() {
		turns[0].End()
		turns = turns[1:]
	}
}
