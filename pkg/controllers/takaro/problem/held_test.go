// SPDX-License-Identifier: Apache-2.0

package problem

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

// namespaceReader reads a namespace.
type namespaceReader struct {
	client.Reader
	deleted *metav1.Time
	err     error
}

func (r namespaceReader) Get(_ context.Context, key client.ObjectKey, object client.Object, _ ...client.GetOption) error {
	object.SetName(key.Name)
	object.SetDeletionTimestamp(r.deleted)
	return r.err
}

// holdAll holds each Domain that is being deleted, and records its deletion time.
type holdAll struct {
	err error
	at  *metav1.Time
}

func (h *holdAll) DeletionHold(_ context.Context, domain *v1alpha1.Domain) (string, error) {
	if h.at = domain.DeletionTimestamp; h.at == nil || h.err != nil {
		return "", h.err
	}
	return "kubectl annotate …", nil
}

func TestHeldWithDomain(t *testing.T) {
	unavailable := errors.New("no answer")
	early, late := metav1.NewTime(time.Unix(1, 0)), metav1.NewTime(time.Unix(2, 0))
	absent := apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, "team")
	there := func(deleted *metav1.Time) *v1alpha1.Domain {
		return &v1alpha1.Domain{ObjectMeta: metav1.ObjectMeta{Name: "arena", Namespace: "team", DeletionTimestamp: deleted}}
	}
	for name, c := range map[string]struct {
		domain *v1alpha1.Domain
		live   namespaceReader
		holder holdAll
		reason string
		at     *metav1.Time
	}{
		"no Domain":          {live: namespaceReader{deleted: &early}},
		"neither is deleted": {domain: there(nil)},
		"Domain is deleted": {domain: there(&late), live: namespaceReader{err: unavailable},
			reason: v1alpha1.ReasonDeletionHeld, at: &late},
		"namespace is deleted": {domain: there(nil), live: namespaceReader{deleted: &early},
			reason: v1alpha1.ReasonDeletionHeld, at: &early},
		"namespace no longer exists": {domain: there(nil), live: namespaceReader{err: absent}},
		"namespace cannot be read":   {domain: there(nil), live: namespaceReader{err: unavailable}, reason: v1alpha1.ReasonRequestFailed},
		"hold cannot be read":        {domain: there(&late), holder: holdAll{err: unavailable}, reason: v1alpha1.ReasonRequestFailed, at: &late},
	} {
		t.Run(name, func(t *testing.T) {
			blocked := HeldWithDomain(t.Context(), c.live, &c.holder, c.domain)
			require.Equal(t, c.at, c.holder.at)
			if c.reason == "" {
				require.Nil(t, blocked)
				return
			}
			require.Equal(t, c.reason, blocked.Reason)
			if c.reason == v1alpha1.ReasonDeletionHeld {
				require.Contains(t, blocked.Message, `Domain "arena" is kept`)
				require.Equal(t, HeldWait, blocked.RequeueAfter)
			}
		})
	}
}
