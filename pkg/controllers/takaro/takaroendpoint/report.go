// SPDX-License-Identifier: Apache-2.0

package takaroendpoint

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/engine/ownership"
)

// Reasons of events, in addition to those of the holds.
const (
	eventHoldEnded      = "HoldEnded"
	eventHoldReleased   = "HoldReleased"
	eventReleaseRefused = "ReleaseRefused"
	eventLeftForgotten  = "LeftForgotten"
	eventAcceptRefused  = "AcceptRefused"
	eventVerified       = "IdentityVerified"
)

// report stores what is held at a TakaroEndpoint. The caller must hold writing.
func (k *Keeper) report(ctx context.Context, at types.NamespacedName) error {
	if k.Client == nil {
		return nil
	}
	judged := k.verdictsAt(at)
	_, err := k.update(ctx, at, func(e *v1alpha1.TakaroEndpoint) { showAll(&e.Status, judged) })
	if apierrors.IsNotFound(err) {
		return nil // At creates it, and the next list is stored
	}
	return err
}

// notify emits events for changes of the status.
func (k *Keeper) notify(before, after *v1alpha1.TakaroEndpoint) {
	k.notifyIdentity(meta.FindStatusCondition(before.Status.Conditions, v1alpha1.ConditionReady), after)
	for _, kind := range kinds {
		was, is := holdIn(&before.Status, kind.name), holdIn(&after.Status, kind.name)
		switch {
		case is.Held > 0 && (was.Held == 0 || is.Token != was.Token):
			k.event(after, corev1.EventTypeWarning, kind.reason, kind.message(after, is))
		case is.Held == 0 && was.Held > 0:
			k.event(after, corev1.EventTypeNormal, eventHoldEnded, kind.over)
		}
	}
}

func (k *Keeper) event(e *v1alpha1.TakaroEndpoint, kind, reason, message string) {
	if k.Recorder != nil {
		base.Emit(k.Recorder, e, nil, kind, reason, message)
	}
}

// release releases what the token identifies, and returns the type of its hold, or nil if the token
// is not current. The release is stored before it takes effect.
func (k *Keeper) release(ctx context.Context, at types.NamespacedName, token string) (*holdKind, error) {
	k.writing.Lock()
	defer k.writing.Unlock()
	kind, next := k.releasing(at, token)
	if kind == nil {
		return nil, nil
	}
	if _, err := k.update(ctx, at, func(e *v1alpha1.TakaroEndpoint) { next.apply(&e.Status, kind.name) }); err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if known := k.endpoints[at]; known != nil {
		known.verdicts[kind.name] = kind.judge(known, next.released)
		k.publish()
	}
	return kind, nil
}

// releaseNames releases Domains regardless of what is missing, together with another change of the
// status.
func (k *Keeper) releaseNames(
	ctx context.Context, at types.NamespacedName, names []string, change func(*v1alpha1.TakaroEndpoint),
) (*v1alpha1.TakaroEndpoint, error) {
	k.writing.Lock()
	defer k.writing.Unlock()
	released := ownership.Release(nil, nil, names)
	stored, err := k.update(ctx, at, func(e *v1alpha1.TakaroEndpoint) {
		verdict{released: released}.apply(&e.Status, v1alpha1.HoldVanished)
		change(e)
	})
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if known := k.endpoints[at]; known != nil {
		known.verdicts[v1alpha1.HoldVanished], known.loaded = judgeVanished(known, released), true
	}
	k.publish()
	return stored, nil
}

// releasing returns the hold with the token, and the verdict after its release.
func (k *Keeper) releasing(at types.NamespacedName, token string) (*holdKind, verdict) {
	k.mu.Lock()
	defer k.mu.Unlock()
	known := k.endpoints[at]
	if known == nil || token == "" {
		return nil, verdict{}
	}
	for i, kind := range kinds {
		if v := known.verdicts[kind.name]; v.token == token {
			return &kinds[i], kind.judge(known, ownership.Release(v.released, v.affected, v.held))
		}
	}
	return nil, verdict{}
}

// refresh stores the number of domains, and the judgements of this process.
func (k *Keeper) refresh(ctx context.Context, e *v1alpha1.TakaroEndpoint, domains int) error {
	k.writing.Lock()
	defer k.writing.Unlock()
	at := client.ObjectKeyFromObject(e)
	judged := k.verdictsAt(at)
	_, err := k.update(ctx, at, func(e *v1alpha1.TakaroEndpoint) {
		e.Status.Domains = int32(domains)
		if _, listed := judged[v1alpha1.HoldVanished]; !listed && domains == 0 {
			verdict{}.apply(&e.Status, v1alpha1.HoldVanished)
		}
		showAll(&e.Status, judged)
	})
	return client.IgnoreNotFound(err)
}
