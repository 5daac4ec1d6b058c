// SPDX-License-Identifier: Apache-2.0

package keeper

import (
	"context"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/klog/v2"
)

const (
	// stepTimeout bounds one evaluation of the Secret.
	stepTimeout = 15 * time.Second
	// attempts is the maximum number of evaluations in a step. A step evaluates the Secret again
	// after each write by this or another replica.
	attempts = 8
)

// step evaluates the Secret and acts until it can be used or is refused. Each write is followed
// by another evaluation, so that concurrent changes by another replica are considered.
func (k *Keeper) step(ctx context.Context) ([][]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, stepTimeout)
	defer cancel()
	var failed error
	for range attempts {
		found, err := k.observe(ctx)
		if err != nil {
			return nil, err
		}
		k.published.set(k, found)
		facts := facts{
			content: found.content, lacks: len(found.missing) > 0, remembered: len(found.restorable) > 0,
			generates: k.spec.Generate != nil, replaceable: k.spec.Replaceable,
		}
		action, unproved := decide(facts), error(nil)
		if action == refuse || k.spec.Replaceable && action == generate {
			facts.dependents, unproved = k.dependents(ctx)
			action = decide(facts)
		}
		switch action {
		case use:
			return found.values, k.use(ctx, found, facts.dependents == none)
		case restore:
			failed = k.restore(ctx, found)
		case generate:
			failed = k.generate(ctx, found)
		default:
			return nil, k.refusal(found, unproved)
		}
		if failed != nil && !overtaken(failed) {
			return nil, failed
		}
	}
	if failed == nil {
		failed = fmt.Errorf("secret %s/%s changes after each write", k.namespace, k.spec.Name)
	}
	return nil, failed
}

// overtaken reports whether a write failed because the Secret was created, changed or deleted since it was read.
func overtaken(err error) bool {
	return apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) || apierrors.IsNotFound(err)
}

func (k *Keeper) dependents(ctx context.Context) (dependents, error) {
	exist, err := k.spec.Dependents(ctx)
	switch {
	case err != nil:
		return unknown, err
	case exist:
		return some, nil
	default:
		return none, nil
	}
}

// use records and remembers the values of the Secret. Values are recorded before they are used, so that a process which
// starts later knows of them. Without dependents, or if no other values are needed, others are removed from the record.
func (k *Keeper) use(ctx context.Context, found observed, unused bool) error {
	only := found.only || unused
	prints := k.prints(found.values)
	if !only {
		prints = append(prints, k.record.Fingerprints(k.spec.Name)...)
	}
	if err := k.setRecord(ctx, prints); err != nil {
		return err
	}
	k.remember(found.values, only)
	k.published.set(k, observed{content: found.content, values: found.values})
	return nil
}

// setRecord replaces the recorded fingerprints, if they differ.
func (k *Keeper) setRecord(ctx context.Context, prints []string) error {
	slices.Sort(prints)
	prints = slices.Compact(prints)
	if slices.Equal(prints, slices.Sorted(slices.Values(k.record.Fingerprints(k.spec.Name)))) {
		return nil
	}
	if err := k.record.SetFingerprints(ctx, k.spec.Name, prints); err != nil {
		return fmt.Errorf("record the fingerprints of Secret %s/%s: %w", k.namespace, k.spec.Name, err)
	}
	klog.FromContext(ctx).Info("Recorded the fingerprints of the Secret",
		"secret", klog.KRef(k.namespace, k.spec.Name), "fingerprints", prints)
	return nil
}
