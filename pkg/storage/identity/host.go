// SPDX-License-Identifier: Apache-2.0

package identity

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	aggregator "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset"

	"roadstead.dev/roadstead/pkg/util/storeidentity"
)

// legacyAnnotations are those of the ConfigMap by which versions without epochs accepted a store.
var legacyAnnotations = []string{"roadstead.dev/accept-store", "roadstead.dev/accept-store-reason", "roadstead.dev/accepted-store",
	"roadstead.dev/accepted-store-time", legacyOlderAnnotation}

// legacyOlderAnnotation holds the id of a store that such a version found to be an older copy.
const legacyOlderAnnotation = "roadstead.dev/older-store"

// host reads and writes the information about the store in the cluster.
type host struct {
	client      kubernetes.Interface
	aggregator  aggregator.Interface
	namespace   string
	apiServices []string
}

// knowledge is what one check has read from the cluster.
type knowledge struct {
	clusterUID types.UID
	// source is the ConfigMap, nil if it does not exist.
	source  *corev1.ConfigMap
	record  *storeidentity.Record
	invalid string
	request *storeidentity.Request
	// badRequest is the reason why the request cannot be read.
	badRequest string
	// anchors are the values of the annotation by APIService, "" without it.
	anchors map[string]string
}

func (h host) look(ctx context.Context) (*knowledge, error) {
	system, err := h.client.CoreV1().Namespaces().Get(ctx, metav1.NamespaceSystem, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("get namespace %s: %w", metav1.NamespaceSystem, err)
	}
	found := &knowledge{clusterUID: system.UID, anchors: map[string]string{}}
	source, err := h.client.CoreV1().ConfigMaps(h.namespace).Get(ctx, storeidentity.ConfigMapName, metav1.GetOptions{})
	switch {
	case err == nil:
		found.take(source)
	case !apierrors.IsNotFound(err):
		return nil, fmt.Errorf("get ConfigMap %s/%s: %w", h.namespace, storeidentity.ConfigMapName, err)
	}
	for _, name := range h.apiServices {
		service, err := h.aggregator.ApiregistrationV1().APIServices().Get(ctx, name, metav1.GetOptions{})
		switch {
		case err == nil:
			found.anchors[name] = service.Annotations[storeidentity.AnchorAnnotation]
		case !apierrors.IsNotFound(err):
			return nil, fmt.Errorf("get APIService %s: %w", name, err)
		}
	}
	return found, nil
}

func (k *knowledge) take(source *corev1.ConfigMap) {
	k.source = source
	var err error
	if k.record, err = storeidentity.Parse(source); err != nil {
		k.invalid = err.Error()
	}
	if k.request, err = storeidentity.ParseRequest(source); err != nil {
		k.badRequest = err.Error()
	}
}

// anchor returns the one with the highest epoch, and whether there is any. One that cannot be read counts as epoch 0.
func (k *knowledge) anchor() (highest storeidentity.Anchor, found bool) {
	for _, name := range slices.Sorted(maps.Keys(k.anchors)) {
		text := k.anchors[name]
		if text == "" {
			continue
		}
		anchor, err := storeidentity.ParseAnchor(text)
		if err == nil && anchor.Epoch > highest.Epoch {
			highest = anchor
		}
		found = true
	}
	return highest, found
}

// nonce returns that of the pending request, "" without one.
func (k *knowledge) nonce() string {
	if k.request == nil {
		return ""
	}
	return k.request.Nonce
}

// olderID returns the id of a store that a version without epochs found to be an older copy.
func (k *knowledge) olderID() string {
	if k.source == nil {
		return ""
	}
	return k.source.Annotations[legacyOlderAnnotation]
}

// write stores record in the ConfigMap that was read. It removes a request with the given nonce,
// and keeps unknown keys. The write fails if the ConfigMap was changed in the meantime.
func (h host) write(ctx context.Context, known *knowledge, record storeidentity.Record, fulfilled string) error {
	configMaps := h.client.CoreV1().ConfigMaps(h.namespace)
	next := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: h.namespace, Name: storeidentity.ConfigMapName}}
	if known.source != nil {
		next = known.source.DeepCopy()
	}
	next.BinaryData = nil // keys must be unique in both maps, and nothing reads these
	if next.Data == nil {
		next.Data = map[string]string{}
	}
	maps.DeleteFunc(next.Data, func(key, _ string) bool {
		return strings.HasPrefix(key, storeidentity.FingerprintPrefix) || key == storeidentity.RequestKey && known.nonce() == fulfilled
	})
	maps.Copy(next.Data, record.Data())
	if fulfilled != "" {
		maps.DeleteFunc(next.Annotations, func(key, _ string) bool { return slices.Contains(legacyAnnotations, key) })
	}
	var err error
	if known.source == nil {
		next, err = configMaps.Create(ctx, next, metav1.CreateOptions{})
	} else {
		next, err = configMaps.Update(ctx, next, metav1.UpdateOptions{})
	}
	if err != nil {
		return fmt.Errorf("write ConfigMap %s/%s: %w", h.namespace, storeidentity.ConfigMapName, err)
	}
	known.invalid = ""
	known.take(next)
	return nil
}

// writeAnchors annotates each APIService that has another anchor.
func (h host) writeAnchors(ctx context.Context, known *knowledge, anchor storeidentity.Anchor) error {
	for name, text := range known.anchors {
		if text == anchor.String() {
			continue
		}
		patch, err := json.Marshal(map[string]any{"metadata": map[string]any{
			"annotations": map[string]string{storeidentity.AnchorAnnotation: anchor.String()}}})
		if err != nil {
			return err
		}
		if _, err := h.aggregator.ApiregistrationV1().APIServices().Patch(ctx, name, types.MergePatchType, patch,
			metav1.PatchOptions{}); err != nil {
			return fmt.Errorf("annotate APIService %s: %w", name, err)
		}
		known.anchors[name] = anchor.String()
	}
	return nil
}
