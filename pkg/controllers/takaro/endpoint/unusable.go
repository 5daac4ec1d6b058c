// SPDX-License-Identifier: Apache-2.0

package endpoint

import (
	"context"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// unusable records which versions of endpoint Secrets were logged as invalid, because every
// resolution reads them again.
type unusable struct {
	mu   sync.Mutex
	told map[types.NamespacedName]string
}

func newUnusable() *unusable { return &unusable{told: map[types.NamespacedName]string{}} }

// tell logs what is wrong with a Secret, once per version. why must not contain a value of the
// Secret.
func (u *unusable) tell(ctx context.Context, secret *corev1.Secret, why string) {
	key, version := client.ObjectKeyFromObject(secret), string(secret.UID)+"/"+secret.ResourceVersion
	u.mu.Lock()
	known := u.told[key] == version
	u.told[key] = version
	u.mu.Unlock()
	if !known {
		log.FromContext(ctx).Info("A Secret that should describe a Takaro endpoint cannot be used and is passed over; put it right or "+
			"take its label away",
			"secret", key.String(), "label", Label, "problem", why)
	}
}

// retain removes Secrets that no longer exist or no longer have the label.
func (u *unusable) retain(there map[types.NamespacedName]bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for key := range u.told {
		if !there[key] {
			delete(u.told, key)
		}
	}
}
