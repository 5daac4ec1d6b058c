// SPDX-License-Identifier: Apache-2.0

package keeper

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
)

const (
	secretName = "once"
	namespace  = "system"
	key        = "values"
	garbage    = "garbage"
)

// world is a cluster with one once-only Secret, whose values are words.
type world struct {
	t          require.TestingT
	ctx        context.Context
	client     *fake.Clientset
	record     *memoryRecord
	spec       Spec
	dependents dependents
	generated  int
}

// newWorld returns a world without the Secret, in which something depends on it.
func newWorld(t require.TestingT, ctx context.Context) *world {
	w := &world{t: t, ctx: ctx, client: fake.NewClientset(), record: &memoryRecord{prints: map[string][]string{}}, dependents: some}
	w.spec = Spec{
		Name: secretName,
		Generate: func() ([][]byte, error) {
			w.generated++
			return [][]byte{fmt.Appendf(nil, "generated%d", w.generated)}, nil
		},
		Parse: func(secret *corev1.Secret) ([][]byte, error) {
			text := string(secret.Data[key])
			if strings.Contains(text, garbage) {
				return nil, errors.New("it is garbage")
			}
			return values(strings.Fields(text)...), nil
		},
		Render: func(values [][]byte) map[string][]byte { return map[string][]byte{key: []byte(words(values))} },
		Dependents: func(context.Context) (bool, error) {
			if w.dependents == unknown {
				return false, errors.New("the store is unavailable")
			}
			return w.dependents == some, nil
		},
		Loss: "The objects are lost.",
	}
	return w
}

func values(words ...string) [][]byte {
	var values [][]byte
	for _, word := range words {
		values = append(values, []byte(word))
	}
	return values
}

func words(values [][]byte) string {
	var all []string
	for _, value := range values {
		all = append(all, string(value))
	}
	return strings.Join(all, " ")
}

func prints(words ...string) []string {
	var all []string
	for _, word := range words {
		all = append(all, Fingerprint(secretName, []byte(word)))
	}
	slices.Sort(all)
	return all
}

func (w *world) keeper() *Keeper { return New(w.spec, w.client, namespace, w.record) }

// started returns a keeper that has read the Secret.
func (w *world) started() *Keeper {
	k := w.keeper()
	_, err := k.Get(w.ctx)
	require.NoError(w.t, err)
	return k
}

// secret returns the words in the Secret, or "absent".
func (w *world) secret() string {
	secret, err := w.client.CoreV1().Secrets(namespace).Get(w.ctx, secretName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return "absent"
	}
	require.NoError(w.t, err)
	return string(secret.Data[key])
}

// put writes a text to the Secret, as an administrator would.
func (w *world) put(text string, annotations ...string) {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: secretName}, Data: map[string][]byte{key: []byte(text)}}
	if len(annotations) > 0 {
		secret.Annotations = map[string]string{AcceptAnnotation: annotations[0]}
	}
	_, err := w.client.CoreV1().Secrets(namespace).Update(w.ctx, secret, metav1.UpdateOptions{})
	if apierrors.IsNotFound(err) {
		_, err = w.client.CoreV1().Secrets(namespace).Create(w.ctx, secret, metav1.CreateOptions{})
	}
	require.NoError(w.t, err)
}

// overtake is put from inside a reactor, which holds the lock of the client.
func (w *world) overtake(text string) {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: secretName}, Data: map[string][]byte{key: []byte(text)}}
	resource := corev1.SchemeGroupVersion.WithResource("secrets")
	err := w.client.Tracker().Update(resource, secret, namespace)
	if apierrors.IsNotFound(err) {
		err = w.client.Tracker().Create(resource, secret, namespace)
	}
	require.NoError(w.t, err)
}

func (w *world) delete() {
	err := w.client.CoreV1().Secrets(namespace).Delete(w.ctx, secretName, metav1.DeleteOptions{})
	require.True(w.t, err == nil || apierrors.IsNotFound(err), "%v", err)
}

// events returns the reasons of the events about the Secret.
func (w *world) events() []string { return reasons(w.t, w.ctx, w.client) }

func reasons(t require.TestingT, ctx context.Context, client kubernetes.Interface) []string {
	events, err := client.EventsV1().Events(namespace).List(ctx, metav1.ListOptions{})
	require.NoError(t, err)
	var reasons []string
	for _, event := range events.Items {
		reasons = append(reasons, event.Reason)
	}
	return reasons
}

// memoryRecord is a Record that is stored in memory.
type memoryRecord struct {
	mu     sync.Mutex
	prints map[string][]string
	fail   error
}

func (r *memoryRecord) Fingerprints(name string) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.prints[name])
}

func (r *memoryRecord) SetFingerprints(_ context.Context, name string, fingerprints []string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fail != nil {
		return r.fail
	}
	r.prints[name] = slices.Clone(fingerprints)
	return nil
}
