// SPDX-License-Identifier: Apache-2.0

package orphans

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/controllers/base/hold"
	"roadstead.dev/roadstead/pkg/util/storeidentity"
)

// record returns the record of the store's identity if it confirms that the objects belong to this
// cluster. A controller that is connected to another cluster would find all namespaces absent.
func (s *sweeper) record(ctx context.Context) (*corev1.ConfigMap, error) {
	source := s.recordReference()
	if err := s.namespaces.Get(ctx, client.ObjectKeyFromObject(source), source); err != nil {
		return nil, fmt.Errorf("get ConfigMap %s/%s: %w", s.namespace, storeidentity.ConfigMapName, err)
	}
	record, err := storeidentity.Parse(source)
	if err != nil {
		return nil, err
	}
	if record == nil {
		return nil, fmt.Errorf("ConfigMap %s/%s holds no record", s.namespace, storeidentity.ConfigMapName)
	}
	system := &corev1.Namespace{}
	if err := s.namespaces.Get(ctx, client.ObjectKey{Name: metav1.NamespaceSystem}, system); err != nil {
		return nil, fmt.Errorf("get namespace %s: %w", metav1.NamespaceSystem, err)
	}
	if system.UID != record.ClusterUID {
		return nil, fmt.Errorf("ConfigMap %s/%s says that the stored objects belong to the cluster whose namespace %s "+
			"has the UID %s; here it is %s",
			s.namespace, storeidentity.ConfigMapName, metav1.NamespaceSystem, record.ClusterUID, system.UID)
	}
	return source, nil
}

// recordReference returns a reference to the record. Events of sweeps refer to it, because events
// cannot be created in an absent namespace.
func (s *sweeper) recordReference() *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: storeidentity.ConfigMapName}}
}

// writeHold stores the hold on the record and removes the release that was read. It fails if the
// record has changed since it was read, because the servers write the record too.
func (s *sweeper) writeHold(ctx context.Context, record *corev1.ConfigMap, value string) error {
	if record.Annotations[HoldAnnotation] == value && record.Annotations[hold.ReleaseAnnotation] == "" {
		return nil
	}
	annotations := map[string]any{hold.ReleaseAnnotation: nil, HoldAnnotation: nil}
	if value != "" {
		annotations[HoldAnnotation] = value
	}
	metadata := map[string]any{"resourceVersion": record.ResourceVersion, "annotations": annotations}
	patch, err := json.Marshal(map[string]any{"metadata": metadata})
	if err != nil {
		return err
	}
	if err := s.writer.Patch(ctx, record.DeepCopy(), client.RawPatch(types.MergePatchType, patch)); err != nil {
		return fmt.Errorf("annotate ConfigMap %s/%s: %w", s.namespace, storeidentity.ConfigMapName, err)
	}
	return nil
}
