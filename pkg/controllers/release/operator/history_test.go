// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
)

// TestHistoryLimit_KeepsVersionsOfOthers: a tool that applies versions from Git would keep creating
// what the controller deletes.
func TestHistoryLimit_KeepsVersionsOfOthers(t *testing.T) {
	w := newWorld(t, func(o *v1alpha1.Operator) { o.Spec.VersionHistoryLimit = ptr.To[int32](1) })
	w.versionOf("0.1.0", nil)
	w.versionOf("0.2.0", []metav1.OwnerReference{{APIVersion: "example.com/v1", Kind: "Stack", Name: "stack", UID: "stack",
		Controller: ptr.To(true)}})
	// It belongs to a deleted Operator of the same name.
	former := w.GetOperator()
	former.UID = "former"
	w.versionOf("0.3.0", []metav1.OwnerReference{*metav1.NewControllerRef(former, v1alpha1.SchemeGroupVersion.WithKind("Operator"))})
	w.version("0.4.0")
	w.version("0.5.0")
	w.once(w.controller())
	assert.Equal(t, []string{"widgets-0.1.0", "widgets-0.2.0", "widgets-0.3.0", "widgets-0.5.0"}, w.Names(&v1alpha1.OperatorVersionList{}))
}
