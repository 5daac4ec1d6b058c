// SPDX-License-Identifier: Apache-2.0

package uninstall

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	takarov1alpha1 "roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

// anchorsLimit is how long to wait for the controllers to delete the anchors after the last Domain.
const anchorsLimit = 90 * time.Second

// retainDomains sets the deletion policy of all Domains to Retain, and requests their deletion.
// Their finalizers are kept.
func (u *uninstallation) retainDomains(ctx context.Context, kinds []kind) error {
	all, err := u.list(ctx, domainsOf(kinds))
	if err != nil {
		return err
	}
	patch := fmt.Appendf(nil, `{"spec":{"deletionPolicy":%q}}`, takarov1alpha1.DeletionPolicyRetain)
	for _, one := range all {
		err := u.client.Patch(ctx, one.reference(), client.RawPatch(types.MergePatchType, patch))
		switch {
		case apierrors.IsNotFound(err):
			continue
		case apierrors.IsInvalid(err):
			// The finalizers of a Domain that cannot be changed are removed, and its Takaro domain
			// is not marked: a controller would otherwise delete the domain in Takaro.
			u.say("%s cannot be marked as retained: %v", one, err)
			if err := u.stripObject(ctx, one); err != nil {
				return err
			}
		case err != nil:
			return fmt.Errorf("retain %s: %w", one, err)
		}
		if err := u.delete(ctx, one, client.PropagationPolicy(metav1.DeletePropagationOrphan)); err != nil {
			return err
		}
	}
	return nil
}

// markDomains lets the controllers mark in Takaro what remains there, which they do for each Domain
// that is deleted and retained. Otherwise takaro-sweep of a later installation would treat it as a
// leftover of a lost Domain. Only Domains exist, so the controllers cannot delete anything else.
// release releases the Lease of the controllers. worked reports whether they ran.
func (u *uninstallation) markDomains(ctx context.Context, kinds []kind, release func()) (worked bool, err error) {
	of := domainsOf(kinds)
	left, err := u.list(ctx, of)
	if err != nil || len(left) == 0 {
		return false, err
	}
	const unmarked = "Domains in Takaro keep their references, since %s: do not run takaro-sweep --delete for this installation."
	runs, err := u.scaleUp(ctx)
	if err != nil {
		return false, err
	}
	if !runs {
		u.say(unmarked, "there is no Deployment "+controller)
		return false, nil
	}
	release()
	err = u.untilGone(ctx, of, u.timeout/2, func(context.Context, []object, []object) error { return nil })
	var unfinished *unfinishedError
	if errors.As(err, &unfinished) {
		u.say(unmarked, unfinished.message)
		return true, nil
	}
	if err != nil {
		return true, err
	}
	// The controllers delete the anchors with the TakaroEndpoints, or stop trying after a minute.
	err = u.untilGone(ctx, endpointsOf(kinds), min(u.timeout/2, anchorsLimit), func(context.Context, []object, []object) error { return nil })
	if errors.As(err, &unfinished) {
		return true, nil
	}
	return true, err
}

// scaleUp starts one controller and reports whether there is a Deployment of the controllers.
func (u *uninstallation) scaleUp(ctx context.Context) (bool, error) {
	ofController, _ := theWorkloads()
	there, err := u.get(ctx, ofController[0])
	if err != nil || !there {
		return false, err
	}
	patch := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"replicas":1}}`))
	if err := u.client.Patch(ctx, ofController[0].object, patch); err != nil {
		return false, fmt.Errorf("scale Deployment %s/%s to 1: %w", u.namespace, controller, err)
	}
	u.say("Deployment %s/%s: scaled to 1, so that what stays in Takaro is marked there as retained.", u.namespace, controller)
	return true, nil
}

func domainsOf(kinds []kind) []kind {
	return slices.DeleteFunc(slices.Clone(kinds), func(k kind) bool { return k.groupResource() != domains })
}
