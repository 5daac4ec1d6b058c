// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base/hold"
	"roadstead.dev/roadstead/pkg/controllers/orphans"
	"roadstead.dev/roadstead/pkg/util/storeidentity"
	"roadstead.dev/roadstead/test/framework/install"
)

// releaseNamespaces acts as an administrator who confirms that the namespaces of a run were
// deleted: a controller that was killed in the meantime did not see the deletion, and its successor
// keeps what is left in them.
func (r *runner) releaseNamespaces(ctx context.Context) error {
	records := r.world.Client.CoreV1().ConfigMaps(install.Namespace)
	record, err := records.Get(ctx, storeidentity.ConfigMapName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	held := v1alpha1.Hold{}
	if json.Unmarshal([]byte(record.Annotations[orphans.HoldAnnotation]), &held) != nil || held.Token == "" ||
		record.Annotations[hold.ReleaseAnnotation] == held.Token {
		return nil
	}
	r.world.Logf("released what is left in deleted namespaces: %v", held.Names)
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:%q}}}`, hold.ReleaseAnnotation, held.Token)
	_, err = records.Patch(ctx, record.Name, types.MergePatchType, patch, metav1.PatchOptions{})
	return err
}
