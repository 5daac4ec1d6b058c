// SPDX-License-Identifier: Apache-2.0

//go:build integration

package epoch

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/test/framework"
)

// dependents are the UIDs of the objects that Domains own, as readDependents returns them.
var dependents map[string]types.UID

// createDependents creates objects that are owned by Domains: one whose owner is also in the
// copies, and one whose owner is not.
func createDependents(ctx context.Context) error {
	for _, owner := range []string{kept[0], late[0]} {
		named := metav1.ObjectMeta{Name: owner, OwnerReferences: framework.OwnedByDomain(owner, truth[owner])}
		core := env.Admin.CoreV1()
		_, err := core.ConfigMaps(namespace).Create(ctx, &corev1.ConfigMap{ObjectMeta: named}, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		if _, err := core.Secrets(namespace).Create(ctx, &corev1.Secret{ObjectMeta: named}, metav1.CreateOptions{}); err != nil {
			return err
		}
		labels := map[string]string{"owner": owner}
		_, err = env.Admin.AppsV1().StatefulSets(namespace).Create(ctx, &appsv1.StatefulSet{ObjectMeta: named, Spec: appsv1.StatefulSetSpec{
			Replicas: ptr.To[int32](0), Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "c"}}},
			},
		}}, metav1.CreateOptions{})
		if err != nil {
			return err
		}
	}
	var err error
	dependents, err = readDependents(ctx)
	return err
}

// readDependents returns the UIDs of the dependents that are not being deleted, by kind and name.
func readDependents(ctx context.Context) (map[string]types.UID, error) {
	found := map[string]types.UID{}
	for _, name := range []string{kept[0], late[0]} {
		configMap, err := env.Admin.CoreV1().ConfigMaps(namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		secret, err := env.Admin.CoreV1().Secrets(namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		set, err := env.Admin.AppsV1().StatefulSets(namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		for kind, object := range map[string]metav1.Object{"ConfigMap": configMap, "Secret": secret, "StatefulSet": set} {
			if object.GetDeletionTimestamp() == nil {
				found[kind+" "+name] = object.GetUID()
			}
		}
	}
	return found, nil
}

// requireDependents requires that no object that a Domain owns was deleted or replaced.
func requireDependents(t *testing.T) {
	t.Helper()
	found, err := readDependents(t.Context())
	require.NoError(t, err)
	require.Equal(t, dependents, found)
}

// requireCollectorWaits requires that a pass of the garbage collector deletes no object whose owner
// is known only to a server that refuses its store: neither the dependents nor a ConfigMap whose
// owner does not exist.
func requireCollectorWaits(t *testing.T) {
	t.Helper()
	ghost := env.Ghost(t, namespace)
	env.CollectorPass(t, namespace)
	found, err := env.Admin.CoreV1().ConfigMaps(namespace).Get(t.Context(), ghost, metav1.GetOptions{})
	require.NoError(t, err, "the owner was reported absent")
	require.Nil(t, found.DeletionTimestamp, "the owner was reported absent")
	requireDependents(t)
}

// requireCollectorWorks requires that the garbage collector accepts the responses of the server
// again, and deletes no dependents.
func requireCollectorWorks(t *testing.T) {
	t.Helper()
	env.AwaitCollected(t, namespace, env.Ghost(t, namespace))
	env.CollectorPass(t, namespace)
	requireDependents(t)
}
