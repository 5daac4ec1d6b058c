// SPDX-License-Identifier: Apache-2.0

package controllertest

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	eventsv1client "k8s.io/client-go/kubernetes/typed/events/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Clientset returns a client for package keeper. It gets, creates and updates Secrets with api, and
// drops events. All other methods panic.
func Clientset(api client.Client) kubernetes.Interface { return clientset{api: api} }

type clientset struct {
	kubernetes.Interface
	api client.Client
}

// CoreV1 implements kubernetes.Interface.
func (c clientset) CoreV1() corev1client.CoreV1Interface { return core{api: c.api} }

// EventsV1 implements kubernetes.Interface.
func (c clientset) EventsV1() eventsv1client.EventsV1Interface { return noEvents{} }

type core struct {
	corev1client.CoreV1Interface
	api client.Client
}

// Secrets implements corev1client.CoreV1Interface.
func (c core) Secrets(namespace string) corev1client.SecretInterface {
	return secretsIn{api: c.api, namespace: namespace}
}

type secretsIn struct {
	corev1client.SecretInterface
	api       client.Client
	namespace string
}

// Get implements corev1client.SecretInterface.
func (s secretsIn) Get(ctx context.Context, name string, _ metav1.GetOptions) (*corev1.Secret, error) {
	found := &corev1.Secret{}
	return found, s.api.Get(ctx, types.NamespacedName{Namespace: s.namespace, Name: name}, found)
}

// Create implements corev1client.SecretInterface.
func (s secretsIn) Create(ctx context.Context, secret *corev1.Secret, _ metav1.CreateOptions) (*corev1.Secret, error) {
	return secret, s.api.Create(ctx, secret)
}

// Update implements corev1client.SecretInterface.
func (s secretsIn) Update(ctx context.Context, secret *corev1.Secret, _ metav1.UpdateOptions) (*corev1.Secret, error) {
	return secret, s.api.Update(ctx, secret)
}

type noEvents struct {
	eventsv1client.EventsV1Interface
	eventsv1client.EventInterface
}

// Events implements eventsv1client.EventsV1Interface.
func (n noEvents) Events(string) eventsv1client.EventInterface { return n }

// Create implements eventsv1client.EventInterface.
func (noEvents) Create(_ context.Context, event *eventsv1.Event, _ metav1.CreateOptions) (*eventsv1.Event, error) {
	return event, nil
}
