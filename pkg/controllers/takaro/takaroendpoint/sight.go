// SPDX-License-Identifier: Apache-2.0

package takaroendpoint

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/engine/anchor"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// sight is what this process saw of the anchor of one TakaroEndpoint.
type sight struct {
	// looking is held during a look and what follows from it.
	looking sync.Mutex

	// All other fields are guarded by Keeper.mu.

	memory   anchor.Memory
	decision anchor.Decision
	// found is the anchor of the last look, nil if there was none.
	found *anchor.Anchor
	// installation is that of the TakaroEndpoint, which is part of the name of the anchor.
	installation string
	// begun is when the last successful look began, next when to look again.
	begun, next time.Time
	// busy reports that the verifier looks now.
	busy bool
	// failed is why the last look failed, and tried the endpoint that it used.
	failed error
	tried  endpoint.Key
	// client is the one that answered last.
	client *takaro.Client
	// unstored is the TakaroEndpoint that a namespace which ends does not take any more, nil otherwise,
	// and trusted when its domains last proved the Takaro. See unstored.go.
	unstored *v1alpha1.TakaroEndpoint
	trusted  time.Time
	// marked is when domains that were left were last marked.
	marked time.Time
	// told is what the objects of the endpoint were last woken with.
	told string
}

// identified reports whether the Keeper looks at anchors. Without a pool, every Takaro counts as
// the recorded one.
func (k *Keeper) identified() bool { return k.Pool != nil }

// sightOf returns the sight of a TakaroEndpoint. The caller holds mu.
func (k *Keeper) sightOf(at types.NamespacedName) *sight {
	if k.sights[at] == nil {
		k.sights[at] = &sight{told: string(anchor.Verifying)}
	}
	return k.sights[at]
}

// process returns what the anchors are judged with. The caller holds mu.
func (k *Keeper) process() anchor.Process {
	return anchor.Process{Holder: k.holder, Leads: k.leads && k.Fenced() == nil}
}

// verified reports whether this process may write now. The caller holds mu.
func (k *Keeper) verified(at types.NamespacedName) bool {
	if !k.identified() {
		return true
	}
	s, now := k.sights[at], k.Clock.Now()
	switch {
	case s == nil || !k.process().Leads:
		return false
	case !s.trusted.IsZero():
		return now.Sub(s.trusted) < anchor.Belief
	}
	return s.decision.State == anchor.Verified && s.memory.Verified(now)
}
