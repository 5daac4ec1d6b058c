// SPDX-License-Identifier: Apache-2.0

package storeidentity

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"
)

func TestWhatIsWrittenIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		record := Record{
			StoreID:    rapid.StringN(1, 40, 80).Draw(t, "store"),
			ClusterUID: types.UID(rapid.StringN(1, 40, 80).Draw(t, "cluster")),
			Revision:   rapid.Int64Min(0).Draw(t, "revision"),
		}
		read, err := Parse(&corev1.ConfigMap{Data: record.Data()})
		require.NoError(t, err)
		require.Equal(t, record, read)
	})
}

func TestWhatIsNoRecord(t *testing.T) {
	whole := func() map[string]string { return Record{StoreID: "s", ClusterUID: "c", Revision: 3}.Data() }
	for key, values := range map[string][]string{StoreIDKey: {""}, ClusterUIDKey: {""}, RevisionKey: {"", "x", "-1"}} {
		for _, value := range values {
			data := whole()
			data[key] = value
			_, err := Parse(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "m"}, Data: data})
			require.Error(t, err, "%s=%q", key, value)
			assert.ErrorContains(t, err, "n/m")
			assert.ErrorContains(t, err, key)
		}
	}
}
