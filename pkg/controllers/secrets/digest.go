// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// digest is the HMAC of a value or an entire content with a random key of this process. An attacker
// with access to a digest cannot test passwords against it.
type digest [sha256.Size]byte

// version is what is kept of a Secret that an object owns.
type version struct {
	uid             types.UID
	resourceVersion string
	// owner is the UID of the controlling owner.
	owner types.UID
	// managed is set if the Secret has Roadstead's label.
	managed bool
	// content is the digest of all data. values contains the digest of the value of each key.
	content digest
	values  map[string]digest
}

// versions stores digests of the contents of owned Secrets, but not the contents. They allow an
// unchanged Secret to be compared with the desired content without a request.
type versions struct {
	key []byte

	mu    sync.Mutex
	known map[types.NamespacedName]version
}

func newVersions() *versions {
	key := make([]byte, sha256.Size)
	_, _ = rand.Read(key) // it never fails
	return &versions{key: key, known: map[types.NamespacedName]version{}}
}

func (v *versions) remember(secret *corev1.Secret) {
	found := version{
		uid: secret.UID, resourceVersion: secret.ResourceVersion, managed: secret.Labels[ManagedByLabel] == ManagedByValue,
		content: v.ofAll(secret.Data), values: map[string]digest{},
	}
	if owner := metav1.GetControllerOf(secret); owner != nil {
		found.owner = owner.UID
	}
	for key, value := range secret.Data {
		found.values[key] = v.of(value)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.known[types.NamespacedName{Namespace: secret.Namespace, Name: secret.Name}] = found
}

// recall returns what is known of the Secret with that metadata, and false if that is of a
// different version.
func (v *versions) recall(metadata *metav1.PartialObjectMetadata) (version, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	known, ok := v.known[types.NamespacedName{Namespace: metadata.Namespace, Name: metadata.Name}]
	return known, ok && known.uid == metadata.UID && known.resourceVersion == metadata.ResourceVersion
}

func (v *versions) forget(key types.NamespacedName) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.known, key)
}

func (v *versions) of(parts ...[]byte) digest {
	hash := hmac.New(sha256.New, v.key)
	for _, part := range parts {
		// Each part is preceded by its length, so that different lists of parts never have the same
		// encoding.
		hash.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		hash.Write(part)
	}
	return digest(hash.Sum(nil))
}

func (v *versions) ofAll(data map[string][]byte) digest {
	var parts [][]byte
	for _, key := range slices.Sorted(maps.Keys(data)) {
		parts = append(parts, []byte(key), data[key])
	}
	return v.of(parts...)
}
