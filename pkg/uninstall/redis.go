// SPDX-License-Identifier: Apache-2.0

package uninstall

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/controllers/secrets"
	"roadstead.dev/roadstead/pkg/controllers/takaro/mockserver"
	"roadstead.dev/roadstead/pkg/util/names"
)

// redisLabel is the name label of the Redis that is part of the installation. Its StatefulSet is
// deleted with the manifests.
const redisLabel = names.Redis

// removeRedis removes what remains of the installation's Redis: the login that the controllers
// created, and its volume, which contains no data that is still needed. A foreign Redis has
// neither.
func (u *uninstallation) removeRedis(ctx context.Context, kept keeping) error {
	login := metadataOf(secretKind)
	there, err := u.find(ctx, login, mockserver.BundledRedisSecret)
	if err != nil {
		return err
	}
	var left []client.Object
	if there && login.GetLabels()[secrets.ManagedByLabel] == secrets.ManagedByValue {
		left = append(left, login)
	}
	claims := &corev1.PersistentVolumeClaimList{}
	if err := u.client.List(ctx, claims, client.InNamespace(u.namespace), client.MatchingLabels{nameLabel: redisLabel}); err != nil {
		return fmt.Errorf("listing the PersistentVolumeClaims in %s: %w", u.namespace, err)
	}
	for i := range claims.Items {
		left = append(left, &claims.Items[i])
	}
	for _, object := range left {
		if kept.redis != "" {
			u.say("%s: kept, since %s.", u.called(object), kept.redis)
			continue
		}
		if err := u.removeFound(ctx, object); err != nil {
			return err
		}
	}
	return nil
}
