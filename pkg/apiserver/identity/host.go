// SPDX-License-Identifier: Apache-2.0

package identity

import (
	"context"
	"fmt"
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"roadstead.dev/roadstead/pkg/storeidentity"
)

// host is the cluster's side of the bond.
type host struct {
	client    kubernetes.Interface
	namespace string
}

// knowledge is what a check needs of the host.
type knowledge struct {
	clusterUID types.UID
	// source is the ConfigMap, nil when it is missing.
	source *corev1.ConfigMap
	// record is nil when there is none, damage says why the ConfigMap is none.
	record *storeidentity.Record
	damage string
}

// annotation returns one of the ConfigMap's, "" when it has none.
func (k *knowledge) annotation(name string) string {
	if k.source == nil {
		return ""
	}
	return k.source.Annotations[name]
}

func (h host) look(ctx context.Context) (*knowledge, error) {
	system, err := h.client.CoreV1().Namespaces().Get(ctx, metav1.NamespaceSystem, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("namespace %s: %w", metav1.NamespaceSystem, err)
	}
	found := &knowledge{clusterUID: system.UID}
	source, err := h.client.CoreV1().ConfigMaps(h.namespace).Get(ctx, storeidentity.ConfigMapName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return found, nil
	}
	if err != nil {
		return nil, fmt.Errorf("ConfigMap %s/%s: %w", h.namespace, storeidentity.ConfigMapName, err)
	}
	found.source = source
	// Without data it only carries the wish to accept a store.
	if found.record, err = storeidentity.Parse(source); err != nil {
		found.damage = err.Error()
	}
	return found, nil
}

// write stores a changed copy of the ConfigMap that was read. When somebody else was faster it fails; the next check
// then sees what he wrote.
func (h host) write(ctx context.Context, known *knowledge, change func(*corev1.ConfigMap)) error {
	configMaps := h.client.CoreV1().ConfigMaps(h.namespace)
	var err error
	if known.source == nil {
		fresh := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: h.namespace, Name: storeidentity.ConfigMapName}}
		change(fresh)
		_, err = configMaps.Create(ctx, fresh, metav1.CreateOptions{})
	} else {
		changed := known.source.DeepCopy()
		change(changed)
		_, err = configMaps.Update(ctx, changed, metav1.UpdateOptions{})
	}
	if err != nil {
		return fmt.Errorf("writing ConfigMap %s/%s: %w", h.namespace, storeidentity.ConfigMapName, err)
	}
	return nil
}

// holding makes a change of the ConfigMap that writes a record.
func holding(record storeidentity.Record) func(*corev1.ConfigMap) {
	return func(target *corev1.ConfigMap) {
		if target.Data == nil {
			target.Data = map[string]string{}
		}
		maps.Copy(target.Data, record.Data())
	}
}

// accepting makes a change of the ConfigMap that writes the record of a store that is accepted now.
func accepting(now time.Time) func(storeidentity.Record) func(*corev1.ConfigMap) {
	return func(record storeidentity.Record) func(*corev1.ConfigMap) {
		return func(target *corev1.ConfigMap) {
			holding(record)(target)
			delete(target.Annotations, storeidentity.AcceptAnnotation)
			delete(target.Annotations, storeidentity.OlderAnnotation)
			annotate(target, storeidentity.AcceptedAnnotation, record.StoreID)
			annotate(target, storeidentity.AcceptedTimeAnnotation, now.UTC().Format(time.RFC3339Nano))
		}
	}
}

func annotate(target *corev1.ConfigMap, name, value string) {
	if target.Annotations == nil {
		target.Annotations = map[string]string{}
	}
	target.Annotations[name] = value
}
