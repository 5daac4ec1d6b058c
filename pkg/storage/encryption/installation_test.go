// SPDX-License-Identifier: Apache-2.0

package encryption

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"roadstead.dev/roadstead/pkg/util/keeper"
)

const (
	patience = 10 * time.Second
	tick     = 10 * time.Millisecond
)

// installation is a cluster with a store, in which replicas start.
type installation struct {
	*testing.T
	client *fake.Clientset
	kv     *memoryKV
	record *fingerprints
}

// replica is one server of an installation.
type replica struct {
	*Seeds
	transformers *Transformers
	changed      chan struct{}
}

// install returns an installation with the given keys in its store.
func install(t *testing.T, keys ...string) *installation {
	return &installation{T: t, client: fake.NewClientset(), kv: newMemoryKV(keys...), record: &fingerprints{}}
}

// replica returns a replica that has not read the seeds yet.
func (i *installation) replica(provider bool) *replica {
	r := &replica{changed: make(chan struct{}, 10)}
	r.transformers, _ = all(i)
	r.Seeds = NewSeeds(SeedsConfig{
		Client: i.client, Namespace: "system", KV: i.kv, Prefix: prefix, Record: i.record, Transformers: r.transformers, Provider: provider,
	})
	return r
}

// running returns a replica that follows the Secret.
func (i *installation) running() *replica {
	r := i.replica(false)
	require.NoError(i, r.Prepare(i.Context()))
	go r.Run(i.Context(), func() { r.changed <- struct{}{} })
	return r
}

// encrypt returns a value as the replica stores it.
func (i *installation) encrypt(r *replica) []byte {
	stored, err := r.transformers.TransformerForResource(users).TransformToStorage(i.Context(), plain, where)
	require.NoError(i, err)
	return stored
}

// store puts an encrypted object into the store.
func (i *installation) store(stored []byte) {
	_, err := i.kv.Put(i.Context(), prefix+"/"+object, string(stored))
	require.NoError(i, err)
}

// requireReadable requires that the replica can decrypt a value.
func (i *installation) requireReadable(r *replica, stored []byte) {
	i.Helper()
	read, _, err := r.transformers.TransformerForResource(users).TransformFromStorage(i.Context(), stored, where)
	require.NoError(i, err)
	require.Equal(i, plain, read)
}

// seeds returns the seeds in the Secret, none if it does not exist.
func (i *installation) seeds() [][]byte {
	secret, err := i.client.CoreV1().Secrets("system").Get(i.Context(), SecretName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	require.NoError(i, err)
	seeds, err := fromSecret(secret)
	require.NoError(i, err)
	return seeds
}

// awaitSeeds waits until the Secret holds these seeds.
func (i *installation) awaitSeeds(want ...[]byte) {
	i.Helper()
	require.Eventually(i, func() bool { return slices.EqualFunc(i.seeds(), want, slices.Equal) }, patience, tick)
}

// setSeeds writes the Secret as an administrator does.
func (i *installation) setSeeds(seeds ...[]byte) {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "system", Name: SecretName}, Data: render(seeds)}
	_, err := i.client.CoreV1().Secrets("system").Update(i.Context(), secret, metav1.UpdateOptions{})
	if apierrors.IsNotFound(err) {
		_, err = i.client.CoreV1().Secrets("system").Create(i.Context(), secret, metav1.CreateOptions{})
	}
	require.NoError(i, err)
}

func (i *installation) deleteSecret() {
	require.NoError(i, i.client.CoreV1().Secrets("system").Delete(i.Context(), SecretName, metav1.DeleteOptions{}))
}

// setMark records that a seed encrypted everything.
func (i *installation) setMark(seed []byte) {
	require.NoError(i, setMark(i.Context(), i.kv, prefix, string(writtenBy(seed))))
}

// requireRecorded requires that exactly these seeds are recorded.
func (i *installation) requireRecorded(seeds ...[]byte) {
	i.Helper()
	var want []string
	for _, seed := range seeds {
		want = append(want, keeper.Fingerprint(SecretName, seed))
	}
	require.ElementsMatch(i, want, i.record.Fingerprints(SecretName))
}

// fingerprints is a keeper.Record of one Secret.
type fingerprints struct {
	mu   sync.Mutex
	list []string
}

func (f *fingerprints) Fingerprints(string) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.list)
}

func (f *fingerprints) SetFingerprints(_ context.Context, _ string, list []string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = slices.Clone(list)
	return nil
}
