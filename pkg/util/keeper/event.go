// SPDX-License-Identifier: Apache-2.0

package keeper

import (
	"context"
	"os"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
)

// Reasons of events on the Secret.
const (
	EventRestored = "SecretRestored"
	EventReplaced = "SecretReplaced"
)

const (
	eventAction     = "KeepSecret"
	eventController = "roadstead.dev/secret-keeper"
)

// event creates a warning about the Secret. It is written directly, not by a recorder in the background, since the process
// may be about to exit. An event that cannot be created is only logged.
func (k *Keeper) event(ctx context.Context, secret *corev1.Secret, reason, note string) {
	host, err := os.Hostname()
	if err != nil || host == "" {
		host = "unknown"
	}
	_, err = k.client.EventsV1().Events(k.namespace).Create(ctx, &eventsv1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: k.namespace, GenerateName: k.spec.Name + "."},
		EventTime:  metav1.NowMicro(), ReportingController: eventController, ReportingInstance: host,
		Type: corev1.EventTypeWarning, Reason: reason, Action: eventAction, Note: note,
		Regarding: corev1.ObjectReference{
			APIVersion: "v1", Kind: "Secret", Namespace: k.namespace, Name: k.spec.Name,
			UID: secret.UID, ResourceVersion: secret.ResourceVersion,
		},
	}, metav1.CreateOptions{})
	if err != nil {
		klog.FromContext(ctx).Error(err, "The event was not created", "reason", reason, "secret", klog.KObj(secret))
	}
}
