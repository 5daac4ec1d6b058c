// SPDX-License-Identifier: Apache-2.0

package encryption

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apiserver/pkg/storage/value"
)

func TestKeysAreForgottenAndDerivedAgain(t *testing.T) {
	f, err := newForgetful(make([]byte, SeedSize))
	require.NoError(t, err)
	first := f.current.Load()
	var group sync.WaitGroup
	for worker := range 4 {
		group.Go(func() {
			for n := range keysKept {
				text, at := fmt.Appendf(nil, "value %d", n), value.DefaultContext(fmt.Sprintf("/%d/%d", worker, n))
				stored, err := f.TransformToStorage(t.Context(), text, at)
				assert.NoError(t, err)
				read, stale, err := f.TransformFromStorage(t.Context(), stored, at)
				assert.NoError(t, err)
				assert.False(t, stale)
				assert.Equal(t, text, read)
				_, _, err = f.TransformFromStorage(t.Context(), stored, value.DefaultContext("/elsewhere"))
				assert.Error(t, err, "a value stands for its own key in the store only")
			}
		})
	}
	group.Wait()
	require.NotSame(t, first, f.current.Load())
	require.Less(t, f.current.Load().uses.Load(), int32(2*keysKept))

	_, err = newForgetful(make([]byte, 3))
	require.Error(t, err)
}
