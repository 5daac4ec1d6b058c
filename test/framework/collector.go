// SPDX-License-Identifier: Apache-2.0

//go:build integration

package framework

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/uuid"
)

// OwnedByDomain returns the owner references of a dependent of a Domain.
func OwnedByDomain(name string, uid types.UID) []metav1.OwnerReference {
	return []metav1.OwnerReference{{APIVersion: "takaro.roadstead.dev/v1alpha1", Kind: "Domain", Name: name, UID: uid}}
}

// OwnedConfigMap creates a ConfigMap with owners.
func (e *Env) OwnedConfigMap(t *testing.T, namespace, name string, owners []metav1.OwnerReference) *corev1.ConfigMap {
	t.Helper()
	created, err := e.Admin.CoreV1().ConfigMaps(namespace).Create(t.Context(), &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: name, OwnerReferences: owners},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	return created
}

// Ghost creates a ConfigMap whose owner is a Domain that does not exist in any store, and returns
// its name. The garbage collector does not know the owner, so it must query the server before it
// can delete the ConfigMap.
func (e *Env) Ghost(t *testing.T, namespace string) string {
	t.Helper()
	name := e.Name("ghost")
	e.OwnedConfigMap(t, namespace, name, OwnedByDomain(name, uuid.NewUUID()))
	return name
}

// CollectorPass returns when the garbage collector has processed an object that was created after
// all others: an object whose owner, a Pod, does not exist.
func (e *Env) CollectorPass(t *testing.T, namespace string) {
	t.Helper()
	name := e.Name("orphan")
	e.OwnedConfigMap(t, namespace, name, []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: name, UID: uuid.NewUUID()}})
	e.AwaitCollected(t, namespace, name)
}

// AwaitCollected returns when a ConfigMap no longer exists.
func (e *Env) AwaitCollected(t *testing.T, namespace, name string) {
	t.Helper()
	Await(t, "the deletion of ConfigMap "+name, func() error {
		_, err := e.Admin.CoreV1().ConfigMaps(namespace).Get(t.Context(), name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return errors.Join(err, errors.New("it still exists"))
	})
}
