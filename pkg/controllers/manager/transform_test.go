// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

func TestStripped(t *testing.T) {
	meta := func() metav1.ObjectMeta {
		return metav1.ObjectMeta{
			Name:          "a",
			Annotations:   map[string]string{corev1.LastAppliedConfigAnnotation: `{"data":{"password":"c2VjcmV0"}}`, "other": "stays"},
			ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "kubectl"}},
		}
	}
	secret := &metav1.PartialObjectMetadata{ObjectMeta: meta()}
	out, err := stripped(secret)
	require.NoError(t, err)
	require.Equal(t, &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "a",
		Annotations: map[string]string{"other": "stays"}}}, out)

	domain := &v1alpha1.Domain{ObjectMeta: meta()}
	_, err = stripped(domain)
	require.NoError(t, err)
	require.Empty(t, domain.ManagedFields)
	require.Contains(t, domain.Annotations, corev1.LastAppliedConfigAnnotation, "an update of the object would remove it")
}
