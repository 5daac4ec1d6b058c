// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"roadstead.dev/roadstead/test/chaos/check"
	"roadstead.dev/roadstead/test/chaos/world"
)

// Secrets observes the values that are issued only once: root passwords, and the seed.
type Secrets struct {
	// lost reports whether the run itself deleted a Secret.
	lost func(check.Secret) bool
	told func(check.Violation)

	mu      sync.Mutex
	last    map[string]check.Secret
	stop    context.CancelFunc
	running sync.WaitGroup
}

// StartSecrets starts to observe. It calls the function for each violation.
func StartSecrets(client kubernetes.Interface, lost func(check.Secret) bool, told func(check.Violation)) (*Secrets, error) {
	ctx, cancel := context.WithCancel(context.Background())
	s := &Secrets{lost: lost, told: told, last: map[string]check.Secret{}, stop: cancel}
	informer := informers.NewSharedInformerFactory(client, 0).Core().V1().Secrets().Informer()
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: s.saw, UpdateFunc: func(_, now any) { s.saw(now) },
	}); err != nil {
		cancel()
		return nil, err
	}
	s.running.Go(func() { informer.RunWithContext(ctx) })
	return s, nil
}

// Stop stops it and returns when its goroutines have ended.
func (s *Secrets) Stop() {
	s.stop()
	s.running.Wait()
}

// saw compares a Secret with its last state, also if it was deleted in between. Names of objects
// are never reused, so that both states belong to the same object.
func (s *Secrets) saw(event any) {
	in, ok := event.(*corev1.Secret)
	if !ok {
		return
	}
	key, watched := onceKey(in)
	if !watched {
		return
	}
	now, name := world.Secret(in), in.Namespace+"/"+in.Name
	s.mu.Lock()
	before := s.last[name]
	s.last[name] = now
	s.mu.Unlock()
	if key != seedKey && s.lost(now) {
		return // a root password that the run deleted cannot be restored
	}
	for _, v := range check.Overwritten(key, before, now) {
		s.told(v)
	}
}

const (
	passwordKey = "password"
	seedKey     = "seed"
)

// onceKey returns the key whose value is issued only once.
func onceKey(in metav1.Object) (string, bool) {
	switch {
	case in.GetName() == world.SeedSecret:
		return seedKey, true
	case strings.HasPrefix(in.GetNamespace(), world.Prefix) && strings.HasSuffix(in.GetName(), check.RootSuffix):
		return passwordKey, true
	}
	return "", false
}
