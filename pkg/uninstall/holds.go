// SPDX-License-Identifier: Apache-2.0

package uninstall

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	takarov1alpha1 "roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base/hold"
	"roadstead.dev/roadstead/pkg/controllers/orphans"
)

// releaseHolds releases the holds of the objects, because the user has confirmed the deletion of
// everything. Holds appear while objects are being deleted, so it is called repeatedly.
func (u *uninstallation) releaseHolds(ctx context.Context, all []object) error {
	for _, one := range all {
		if one.token == "" || one.released == one.token {
			continue
		}
		if err := u.annotateRelease(ctx, one.reference(), one.String(), one.token); err != nil {
			return err
		}
	}
	record := &corev1.ConfigMap{}
	err := u.client.Get(ctx, client.ObjectKey{Namespace: u.namespace, Name: identityMap}, record)
	if err != nil {
		return client.IgnoreNotFound(err)
	}
	held := takarov1alpha1.Hold{}
	if json.Unmarshal([]byte(record.Annotations[orphans.HoldAnnotation]), &held) != nil || held.Token == "" ||
		record.Annotations[hold.ReleaseAnnotation] == held.Token {
		return nil
	}
	return u.annotateRelease(ctx, record, u.called(record), held.Token)
}

func (u *uninstallation) annotateRelease(ctx context.Context, carrier client.Object, called, token string) error {
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:%q}}}`, hold.ReleaseAnnotation, token)
	if err := u.client.Patch(ctx, carrier, client.RawPatch(types.MergePatchType, patch)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("release what %s holds: %w", called, err)
	}
	u.say("%s: released what it holds (%s).", called, token)
	return nil
}

// heldBy returns the token of a hold in a status, and the release that was set for it. A hold of
// deletions takes precedence: the annotation releases one hold at a time, and the others can wait
// until the deletions are done.
func heldBy(source *unstructured.Unstructured) (token, released string) {
	holds, _, _ := unstructured.NestedSlice(source.Object, "status", "holds")
	for _, one := range holds {
		held, _ := one.(map[string]any)
		found, _ := held["token"].(string)
		deletes := held["type"] == string(takarov1alpha1.HoldDeletion)
		if found != "" && (token == "" || deletes) {
			token, released = found, source.GetAnnotations()[hold.ReleaseAnnotation]
		}
	}
	return token, released
}
