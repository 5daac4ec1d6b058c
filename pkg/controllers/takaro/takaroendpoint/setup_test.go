// SPDX-License-Identifier: Apache-2.0

package takaroendpoint

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

// A TakaroEndpoint is reconciled when one of these changes.
func TestRelevant(t *testing.T) {
	before, deleted, retained := settled(0), settled(0), settled(0)
	now := metav1.Now()
	deleted.DeletionTimestamp, retained.DeletionTimestamp = &now, &now
	retained.Spec.DeletionPolicy = v1alpha1.DeletionPolicyRetain
	assert.NotEqual(t, relevant(before), relevant(deleted))
	assert.NotEqual(t, relevant(deleted), relevant(retained))
	assert.Equal(t, relevant(before), relevant(settled(0)))
	lost := settled(0)
	lost.Status.Ownership = nil
	assert.NotEqual(t, relevant(before), relevant(lost))
}
