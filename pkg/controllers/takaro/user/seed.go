// SPDX-License-Identifier: Apache-2.0

package user

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/secrets"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
	"roadstead.dev/roadstead/pkg/engine/ownership"
	"roadstead.dev/roadstead/pkg/util/keeper"
)

const (
	// SeedSecretName is the Secret in the installation's namespace from which passwords are
	// derived. Without it, users that were deleted and are created again do not get their previous
	// password. It must be part of every backup.
	SeedSecretName = "roadstead-takaro-seed"
	// SeedKey is the key of the seed in the Secret.
	SeedKey = "seed"

	// seedPause is how long an error of the Secret is kept before the Secret is read again.
	seedPause = 10 * time.Second
)

// seedLoss completes the message about a lost seed.
const seedLoss = "Without it, the generated password of a User that is created again is lost. If there is no backup, accept a new seed: " +
	"see SeedUnusable in docs/troubleshooting.md."

// fingerprint identifies a seed in the facts of a User without disclosing the seed.
func fingerprint(seed []byte) string { return keeper.Fingerprint(SeedSecretName, seed) }

// seedStore returns the seed of the installation, and maintains its Secret.
type seedStore struct {
	keeper *keeper.Keeper
	// cached returns the metadata of the Secret, so that the Secret is read only when it changed.
	cached client.Reader
	key    types.NamespacedName
	clock  clock.PassiveClock
	// started is closed when the seed is known.
	started chan struct{}

	mu      sync.Mutex
	seed    []byte
	version string
	refused *base.Blocked
	until   time.Time
}

// newSeedStore returns the store of the seed in a namespace. cached must serve Users and the
// metadata of Secrets.
func newSeedStore(cached client.Reader, writer kubernetes.Interface, namespace string, clock clock.PassiveClock) *seedStore {
	users := seedUsers{cached: cached}
	spec := keeper.Spec{
		Name: SeedSecretName, Controller: "roadstead.dev/controller", Single: true, Loss: seedLoss,
		Generate: func() ([][]byte, error) {
			seed := make([]byte, ownership.MinSeed)
			_, err := rand.Read(seed)
			return [][]byte{seed}, err
		},
		Parse: func(secret *corev1.Secret) ([][]byte, error) {
			if len(secret.Data[SeedKey]) < ownership.MinSeed {
				return nil, fmt.Errorf("key %q has fewer than %d bytes", SeedKey, ownership.MinSeed)
			}
			return [][]byte{secret.Data[SeedKey]}, nil
		},
		Render:   func(values [][]byte) map[string][]byte { return map[string][]byte{SeedKey: values[0]} },
		Required: users.required, Dependents: users.exist,
	}
	// The Users that depend on a seed record it, so the store itself needs no persistent record.
	return &seedStore{
		keeper: keeper.New(spec, writer, namespace, &keeper.ProcessRecord{}), cached: cached, clock: clock, started: make(chan struct{}),
		key: types.NamespacedName{Namespace: namespace, Name: SeedSecretName},
	}
}

// get returns the seed. A seed is generated only while no User depends on one, and restored if the
// Secret was deleted or replaced. The problem is SeedUnusable if a seed is in use and lost.
func (s *seedStore) get(ctx context.Context) ([]byte, *base.Blocked) {
	version, err := s.stored(ctx)
	if err != nil {
		return nil, problem.Classify("reading the seed of generated passwords", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.seed != nil && version != "" && version == s.version:
		return s.seed, nil
	case s.refused != nil && version == s.version && s.clock.Now().Before(s.until):
		return nil, s.refused
	}
	values, err := s.keeper.Get(ctx)
	s.version, s.refused = version, nil
	var refused *keeper.RefusedError
	if errors.As(err, &refused) {
		s.until = s.clock.Now().Add(seedPause)
		s.refused = &base.Blocked{Reason: v1alpha1.ReasonSeedUnusable, RequeueAfter: problem.ForeignWait, Message: refused.Message}
		return nil, s.refused
	}
	if err != nil {
		return nil, problem.Classify("reading the seed of generated passwords", err)
	}
	if s.seed == nil {
		close(s.started)
	}
	s.seed = values[0]
	return s.seed, nil
}

// stored returns the resource version of the Secret, or "" if it does not exist.
func (s *seedStore) stored(ctx context.Context) (string, error) {
	metadata := secrets.Metadata()
	err := s.cached.Get(ctx, s.key, metadata)
	if apierrors.IsNotFound(err) {
		return "", nil
	}
	return string(metadata.UID) + "/" + metadata.ResourceVersion, err
}

// Start restores the Secret after each change, from the time at which the seed is known until ctx
// is canceled. The manager runs it only on the leader.
func (s *seedStore) Start(ctx context.Context) error {
	select {
	case <-ctx.Done():
	case <-s.started:
		s.keeper.Run(ctx, func(context.Context, [][]byte) error { return nil }) // get detects the new version
	}
	return nil
}
