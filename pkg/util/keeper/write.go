// SPDX-License-Identifier: Apache-2.0

package keeper

import (
	"context"
	"fmt"
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"
)

// restoreRetry is the time between two attempts of Restore.
const restoreRetry = 200 * time.Millisecond

// Restore writes the values into the Secret that this process remembers and the Secret lacks. It is for a process that is
// about to exit, and needs no store. It retries until ctx ends.
func (k *Keeper) Restore(ctx context.Context) error {
	var failed error
	err := wait.PollUntilContextCancel(ctx, restoreRetry, true, func(ctx context.Context) (bool, error) {
		var found observed
		if found, failed = k.read(ctx); failed != nil {
			return false, nil
		}
		if found.restorable = k.lacking(k.remembered(), found.values); len(found.restorable) == 0 {
			return true, nil
		}
		failed = k.restore(ctx, found)
		return failed == nil, nil
	})
	if err != nil && failed != nil {
		return failed
	}
	return err
}

// restore writes values from memory. Those of a list are appended, since the order of those present is the
// administrator's.
func (k *Keeper) restore(ctx context.Context, found observed) error {
	values := append(found.values[:len(found.values):len(found.values)], found.restorable...)
	if k.spec.Single {
		values = found.restorable
	}
	prints := k.prints(found.restorable)
	written, err := k.write(ctx, found.secret, values)
	if err != nil {
		return fmt.Errorf("restore Secret %s/%s: %w", k.namespace, k.spec.Name, err)
	}
	klog.FromContext(ctx).Info("Restored the Secret from memory", "secret", klog.KObj(written), "fingerprints", prints)
	restored.WithLabelValues(k.spec.Name).Inc()
	k.event(ctx, written, EventRestored,
		fmt.Sprintf("The Secret lacked values that are in use. They were restored from memory (fingerprints: %s).", list(prints)))
	return nil
}

// generate writes new values. They are used only after another evaluation has found them in the
// Secret. The record is replaced after the Secret: a recorded value that was never written could
// not be distinguished from a lost one.
func (k *Keeper) generate(ctx context.Context, found observed) error {
	values, err := k.spec.Generate()
	if err != nil {
		return fmt.Errorf("generate the values of Secret %s/%s: %w", k.namespace, k.spec.Name, err)
	}
	written, err := k.write(ctx, found.secret, values)
	if err != nil {
		return fmt.Errorf("create Secret %s/%s: %w", k.namespace, k.spec.Name, err)
	}
	klog.FromContext(ctx).Info("Generated the values of the Secret", "secret", klog.KObj(written), "fingerprints", k.prints(values))
	if len(found.missing) > 0 || found.content != absent {
		k.event(ctx, written, EventReplaced, "The values of the Secret were lost. New ones were generated.")
	}
	return k.setRecord(ctx, k.prints(values))
}

// write creates the Secret if it was absent, or updates the version that was read.
func (k *Keeper) write(ctx context.Context, read *corev1.Secret, values [][]byte) (*corev1.Secret, error) {
	secrets := k.client.CoreV1().Secrets(k.namespace)
	if read == nil {
		return secrets.Create(ctx, &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: k.namespace, Name: k.spec.Name, Labels: maps.Clone(k.spec.Labels)},
			Data:       k.spec.Render(values),
		}, metav1.CreateOptions{})
	}
	secret := read.DeepCopy()
	if secret.Data == nil {
		secret.Data = map[string][]byte{}
	}
	maps.Copy(secret.Data, k.spec.Render(values))
	return secrets.Update(ctx, secret, metav1.UpdateOptions{})
}
