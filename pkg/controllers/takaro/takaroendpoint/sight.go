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

// sight is what this process knows of the anchor of one TakaroEndpoint.
type sight struct {
	// looking is held during a check and the actions that follow from it.
	looking sync.Mutex

	// All other fields are guarded by Keeper.mu.

	memory   anchor.Memory
	decision anchor.Decision
	// found is the anchor of the last check, or nil if there was none.
	found *anchor.Anchor
	// installation is that of the TakaroEndpoint, which is part of the name of the anchor.
	installation string
	// begun is when the last successful check started. next is when the next check is due.
	begun, next time.Time
	// busy is set while a check is running.
	busy bool
	// failed is why the last check failed. tried is the endpoint that it used.
	failed error
	tried  endpoint.Key
	// client is the client that last received a response.
	client *takaro.Client
	// unstored is the TakaroEndpoint that cannot be stored because its namespace is being deleted,
	// or nil. trusted is when its domains last proved the Takaro. See unstored.go.
	unstored *v1alpha1.TakaroEndpoint
	trusted  time.Time
	// marked is when domains that were left were last marked.
	marked time.Time
	// told is the state for which the objects of the endpoint were last woken.
	told string
}

// identified reports whether the Keeper checks anchors. Without a pool, every Takaro counts as the
// recorded one.
func (k *Keeper) identified() bool { return k.Pool != nil }

// sightOf returns the sight of a TakaroEndpoint. The caller must hold mu.
func (k *Keeper) sightOf(at types.NamespacedName) *sight {
	if k.sights[at] == nil {
		k.sights[at] = &sight{told: string(anchor.Verifying)}
	}
	return k.sights[at]
}

// process returns the properties of this process that anchors are judged with. The caller must hold
// mu.
func (k *Keeper) process() anchor.Process {
	return anchor.Process{Holder: k.holder, Leads: k.leads && k.Fenced() == nil}
}

// verified reports whether this process may write now. The caller must hold mu.
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
