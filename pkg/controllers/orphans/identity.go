// SPDX-License-Identifier: Apache-2.0

package orphans

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/storeidentity"
)

// checkIdentity returns nil when the record of the store's identity says that the objects belong to this cluster. A
// controller that was led to another cluster sees all namespaces absent.
func (s *sweeper) checkIdentity(ctx context.Context) error {
	source := s.recordReference()
	if err := s.live.Get(ctx, client.ObjectKeyFromObject(source), source); err != nil {
		return fmt.Errorf("reading ConfigMap %s/%s: %w", s.namespace, storeidentity.ConfigMapName, err)
	}
	record, err := storeidentity.Parse(source)
	if err != nil {
		return err
	}
	if record == nil {
		return fmt.Errorf("ConfigMap %s/%s holds no record", s.namespace, storeidentity.ConfigMapName)
	}
	system := &corev1.Namespace{}
	if err := s.live.Get(ctx, client.ObjectKey{Name: metav1.NamespaceSystem}, system); err != nil {
		return fmt.Errorf("reading namespace %s: %w", metav1.NamespaceSystem, err)
	}
	if system.UID != record.ClusterUID {
		return fmt.Errorf("ConfigMap %s/%s says that the stored objects belong to the cluster whose namespace %s has the UID %s; here it is %s",
			s.namespace, storeidentity.ConfigMapName, metav1.NamespaceSystem, record.ClusterUID, system.UID)
	}
	return nil
}

// recordReference names the record. Events of sweeps are about it: an absent namespace takes no events.
func (s *sweeper) recordReference() *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: storeidentity.ConfigMapName}}
}
