// SPDX-License-Identifier: Apache-2.0

package faults

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/test/chaos/check"
	"roadstead.dev/roadstead/test/chaos/plan"
	"roadstead.dev/roadstead/test/chaos/world"
	"roadstead.dev/roadstead/test/framework/install"
)

// loseSecret deletes the login of a domain's root user, that of a User, or the seed. At the end it
// restores the seed from a backup, unless a controller has already restored it.
func loseSecret(ctx context.Context, w *world.World, fault plan.Fault) (injected, error) {
	stored, err := w.Secrets(ctx)
	if err != nil {
		return injected{}, err
	}
	wanted := []func(check.Secret) bool{
		func(s check.Secret) bool {
			return s.Namespace != install.Namespace && strings.HasSuffix(s.Name, check.RootSuffix)
		},
		func(s check.Secret) bool {
			return s.Namespace != install.Namespace && strings.HasSuffix(s.Name, v1alpha1.UserSecretSuffix)
		},
		isSeed,
	}[fault.Pick>>8%3]
	stored = slices.DeleteFunc(stored, func(s check.Secret) bool { return !wanted(s) })
	if len(stored) == 0 {
		return injected{}, errNobody
	}
	chosen := pick(stored, fault)
	restore, err := w.LoseSecret(ctx, chosen.Namespace, chosen.Name)
	if err != nil {
		return injected{}, err
	}
	heal := func(ctx context.Context) error {
		if !isSeed(chosen) {
			return nil
		}
		err := restore(ctx)
		for ; err != nil && ctx.Err() == nil; err = restore(ctx) {
			if apierrors.IsAlreadyExists(err) {
				return nil
			}
			wait(ctx, time.Second)
		}
		w.Logf("Secret %s/%s is restored from a backup", chosen.Namespace, chosen.Name)
		return err
	}
	return injected{what: fmt.Sprintf("Secret %s/%s is deleted", chosen.Namespace, chosen.Name), heal: heal}, nil
}

func isSeed(s check.Secret) bool {
	return s.Namespace == install.Namespace && s.Name == world.SeedSecret
}
