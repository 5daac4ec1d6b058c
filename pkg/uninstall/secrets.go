// SPDX-License-Identifier: Apache-2.0

package uninstall

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// rounds is the maximum number of attempts of a change that conflicts with another change.
const rounds = 10

var secretKind = corev1.SchemeGroupVersion.WithKind("Secret")

// metadataOf returns an object of a kind that is read with metadata only.
func metadataOf(of schema.GroupVersionKind) *metav1.PartialObjectMetadata {
	object := &metav1.PartialObjectMetadata{}
	object.SetGroupVersionKind(of)
	return object
}

// change returns the metadata of an object to write, or nil for no change.
type change func(*metav1.PartialObjectMetadata) map[string]any

// releaseSecrets removes Roadstead's finalizers from every Secret of the cluster. Other finalizers
// are kept.
func (u *uninstallation) releaseSecrets(ctx context.Context, tell bool) error {
	changed, err := u.changeAll(ctx, secretKind, func(secret *metav1.PartialObjectMetadata) map[string]any {
		if left := foreignFinalizers(secret.Finalizers); len(left) < len(secret.Finalizers) {
			return map[string]any{"finalizers": left}
		}
		return nil
	})
	if tell || changed > 0 {
		u.say("Finalizers of %s: taken off %s.", ownDomain, plural(changed, "Secret"))
	}
	return err
}

// disown removes the references to owners of Roadstead's kinds from every object of a kind.
func (u *uninstallation) disown(ctx context.Context, of schema.GroupVersionKind) error {
	changed, err := u.changeAll(ctx, of, func(object *metav1.PartialObjectMetadata) map[string]any {
		left := []metav1.OwnerReference{}
		for _, owner := range object.OwnerReferences {
			if version, err := schema.ParseGroupVersion(owner.APIVersion); err != nil || !isOurs(version.Group) {
				left = append(left, owner)
			}
		}
		if len(left) == len(object.OwnerReferences) {
			return nil
		}
		return map[string]any{"ownerReferences": left}
	})
	if changed > 0 {
		u.say("Owners of %s: taken off %s, which stay.", ownDomain, plural(changed, of.Kind))
	}
	return err
}

// changeAll changes the metadata of the objects of a kind in the entire cluster, without reading
// their content, and returns how many were changed.
func (u *uninstallation) changeAll(ctx context.Context, of schema.GroupVersionKind, wanted change) (changed int, err error) {
	for range rounds {
		again := false
		err := u.eachMetadata(ctx, of, func(object *metav1.PartialObjectMetadata) error {
			metadata := wanted(object)
			if metadata == nil {
				return nil
			}
			err := u.patch(ctx, object, object.ResourceVersion, metadata)
			switch {
			case apierrors.IsConflict(err):
				again = true
				return nil
			case apierrors.IsNotFound(err):
				return nil
			case err != nil:
				return fmt.Errorf("changing %s %s/%s: %w", of.Kind, object.Namespace, object.Name, err)
			}
			changed++
			return nil
		})
		if err != nil || !again {
			return changed, err
		}
	}
	return changed, fmt.Errorf("a %s is changed by somebody else all the time", of.Kind)
}

// patch writes metadata of an object if it was not changed in the meantime, because the patch
// replaces entire lists.
func (u *uninstallation) patch(ctx context.Context, object client.Object, resourceVersion string, metadata map[string]any) error {
	metadata["resourceVersion"] = resourceVersion
	body, err := json.Marshal(map[string]any{"metadata": metadata})
	if err != nil {
		return err
	}
	return u.client.Patch(ctx, object, client.RawPatch(types.MergePatchType, body))
}

// eachMetadata calls a function with the metadata of all objects of a kind, page by page.
func (u *uninstallation) eachMetadata(ctx context.Context, of schema.GroupVersionKind,
	see func(*metav1.PartialObjectMetadata) error) error {
	page := &metav1.PartialObjectMetadataList{}
	for {
		page.SetGroupVersionKind(of.GroupVersion().WithKind(of.Kind + "List"))
		if err := u.client.List(ctx, page, client.Limit(pageSize), client.Continue(page.Continue)); err != nil {
			return fmt.Errorf("listing every %s of the cluster: %w", of.Kind, err)
		}
		for i := range page.Items {
			page.Items[i].SetGroupVersionKind(of)
			if err := see(&page.Items[i]); err != nil {
				return err
			}
		}
		if page.Continue == "" {
			return nil
		}
	}
}
