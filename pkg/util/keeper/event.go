// SPDX-License-Identifier: Apache-2.0

package keeper

import (
	"cmp"
	"context"
	"os"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
)

// Reasons of events on the Secret.
const (
	EventRestored = "SecretRestored"
	EventReplaced = "SecretReplaced"
)

// reporter is the controller that events name, unless a Spec says otherwise.
const reporter = "roadstead.dev/apiserver"

// Warn creates a warning about an object in its namespace. It writes the event directly, not with a
// recorder in the background, because the process may be about to exit. It only logs an event that
// cannot be created.
func Warn(ctx context.Context, client kubernetes.Interface, about corev1.ObjectReference, reason, action, note string) {
	warn(ctx, client, reporter, about, reason, action, note)
}

func warn(ctx context.Context, client kubernetes.Interface, controller string, about corev1.ObjectReference, reason, action, note string) {
	host, err := os.Hostname()
	if err != nil || host == "" {
		host = "unknown"
	}
	_, err = client.EventsV1().Events(about.Namespace).Create(ctx, &eventsv1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: about.Namespace, GenerateName: about.Name + "-"},
		EventTime:  metav1.NowMicro(), ReportingController: controller, ReportingInstance: host,
		Type: corev1.EventTypeWarning, Reason: reason, Action: action, Note: note, Regarding: about,
	}, metav1.CreateOptions{})
	if err != nil {
		klog.FromContext(ctx).Error(err, "Failed to create the event", "reason", reason, "object", klog.KRef(about.Namespace, about.Name))
	}
}

// event creates a warning about the Secret.
func (k *Keeper) event(ctx context.Context, secret *corev1.Secret, reason, note string) {
	warn(ctx, k.client, cmp.Or(k.spec.Controller, reporter), corev1.ObjectReference{
		APIVersion: "v1", Kind: "Secret", Namespace: k.namespace, Name: k.spec.Name, UID: secret.UID, ResourceVersion: secret.ResourceVersion,
	}, reason, "KeepSecret", note)
}
