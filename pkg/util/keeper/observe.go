// SPDX-License-Identifier: Apache-2.0

package keeper

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
)

// requiredTimeout bounds Required: with a dead store, a Secret must be restored without waiting for it.
const requiredTimeout = 2 * time.Second

// observed is what a step found.
type observed struct {
	// secret is nil if it does not exist.
	secret  *corev1.Secret
	content content
	// values are those of the Secret; err is why there are none.
	values [][]byte
	err    error
	// only reports that no other values than those of the Secret are needed.
	only bool
	// missing are the fingerprints of needed values that the Secret lacks; lost are those of them that are not in memory.
	missing, lost []string
	// restorable are the missing values that are in memory.
	restorable [][]byte
}

func (k *Keeper) read(ctx context.Context) (observed, error) {
	secret, err := k.client.CoreV1().Secrets(k.namespace).Get(ctx, k.spec.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return observed{content: absent}, nil
	}
	if err != nil {
		return observed{}, fmt.Errorf("get Secret %s/%s: %w", k.namespace, k.spec.Name, err)
	}
	values, err := k.spec.Parse(secret)
	if err == nil && len(values) == 0 {
		err = fmt.Errorf("it has no value")
	}
	if err != nil {
		return observed{secret: secret, content: invalid, err: err}, nil
	}
	return observed{secret: secret, content: valid, values: values}, nil
}

// observe reads the Secret and compares it with memory, the record and what is required.
func (k *Keeper) observe(ctx context.Context) (observed, error) {
	found, err := k.read(ctx)
	if err != nil {
		return observed{}, err
	}
	memory := k.remembered()
	needed, err := k.needed(ctx, &found, memory)
	if err != nil {
		return observed{}, err
	}
	has := k.prints(found.values)
	for _, print := range needed {
		if !slices.Contains(has, print) {
			found.missing = append(found.missing, print)
		}
	}
	for _, value := range k.lacking(memory, found.values) {
		if slices.Contains(found.missing, k.fingerprint(value)) {
			found.restorable = append(found.restorable, value)
		}
	}
	restorable := k.prints(found.restorable)
	for _, print := range found.missing {
		if !slices.Contains(restorable, print) {
			found.lost = append(found.lost, print)
		}
	}
	return found, nil
}

// needed returns the sorted fingerprints of all values that must be in the Secret.
func (k *Keeper) needed(ctx context.Context, found *observed, memory [][]byte) ([]string, error) {
	if k.spec.Single && found.content == valid && found.secret.Annotations[AcceptAnnotation] == k.fingerprint(found.values[0]) {
		found.only = true
		return nil, nil
	}
	needed := append(k.prints(memory), k.record.Fingerprints(k.spec.Name)...)
	// A Secret that was deleted or damaged is restored without a query to a store that may be
	// unavailable.
	if k.spec.Required != nil && (found.content == valid || len(memory) == 0) {
		ctx, cancel := context.WithTimeout(ctx, requiredTimeout)
		defer cancel()
		required, err := k.spec.Required(ctx, found.values, memory)
		switch {
		case err == nil && required.Only:
			found.only, needed = true, required.Fingerprints
		case err == nil:
			needed = append(needed, required.Fingerprints...)
		case len(memory) == 0:
			return nil, fmt.Errorf("read which values of Secret %s/%s are in use: %w", k.namespace, k.spec.Name, err)
		default:
			// What this process remembers includes what was required before.
			klog.FromContext(ctx).V(2).Info("All values of the Secret are considered to be in use",
				"secret", klog.KRef(k.namespace, k.spec.Name), "err", err)
		}
	}
	slices.Sort(needed)
	return slices.Compact(needed), nil
}

// prints returns the fingerprints of values.
func (k *Keeper) prints(values [][]byte) []string {
	prints := make([]string, 0, len(values))
	for _, value := range values {
		prints = append(prints, k.fingerprint(value))
	}
	return prints
}
