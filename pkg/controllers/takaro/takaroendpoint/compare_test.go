// SPDX-License-Identifier: Apache-2.0

package takaroendpoint

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"
	"sigs.k8s.io/controller-runtime/pkg/client"

	ownership "roadstead.dev/roadstead/pkg/apis/ownership/v1alpha1"
	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base/hold"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
)

func TestCompare_FewVanish(t *testing.T) {
	w := newWorld(t)
	w.addDomains(10)
	w.loseMany(3)
	first := w.Clock.Now()
	w.compare()
	assert.Zero(t, w.at("d00").GoneSince, "one list proves nothing")
	w.Clock.Step(59 * time.Second)
	w.compare()
	assert.Zero(t, w.at("d00").GoneSince, "lists that are less than a minute apart prove nothing")
	w.Clock.Step(time.Second)
	w.compare()
	state := w.at("d00")
	assert.Equal(t, first, state.GoneSince)
	assert.Empty(t, state.VanishedHold)
	assert.Zero(t, w.at("d05").GoneSince)
	assert.Empty(t, w.Object().Status.Holds)
	assert.Empty(t, w.Events())

	w.lost = map[string]bool{}
	w.compare()
	assert.Zero(t, w.at("d00").GoneSince)
}

func TestCompare_ManyVanish(t *testing.T) {
	w := newWorld(t)
	w.addDomains(30)
	w.loseMany(25)
	w.compareTwice()
	announced := w.hold()
	assert.EqualValues(t, 25, announced.Held)
	assert.Regexp(t, `^25-[0-9a-f]{6}$`, announced.Token)
	require.Len(t, announced.Names, maxNames)
	assert.Equal(t, "team/d00", announced.Names[0])
	command := "kubectl annotate takaroendpoints.takaro.roadstead.dev " + nameOf(address) +
		" -n team roadstead.dev/release-hold=" + announced.Token + " --overwrite"
	state := w.at("d00")
	assert.Equal(t, command, state.VanishedHold)
	assert.NotZero(t, state.GoneSince)
	assert.Empty(t, w.at("d28").VanishedHold, "it exists")
	assert.Equal(t, "False VanishedHeld", w.Condition(v1alpha1.ConditionReady))
	assert.Contains(t, w.Message(v1alpha1.ConditionReady), "25 domains no longer exist in Takaro at "+address)
	assert.Contains(t, w.Message(v1alpha1.ConditionReady), command)
	assert.Equal(t, map[string]int{v1alpha1.ReasonVanishedHeld: 1}, w.Told())
	assert.EqualValues(t, 25, heldMetric(t, v1alpha1.HoldVanished, hold.ScopeTenant))
	assert.Zero(t, heldMetric(t, v1alpha1.HoldVanished, hold.ScopeInstallation))

	version := w.Object().ResourceVersion
	w.compareTwice()
	assert.Equal(t, version, w.Object().ResourceVersion, "nothing is written while nothing changes")

	w.lost = map[string]bool{}
	w.compare()
	assert.Zero(t, w.at("d00").GoneSince, "the data was restored")
}

func TestCompare_HoldEndsWithTheData(t *testing.T) {
	w := newWorld(t)
	w.addDomains(10)
	w.loseMany(5)
	w.compareTwice()
	require.NotEmpty(t, w.at("d00").VanishedHold)
	w.Events()
	w.lost = map[string]bool{"id-d00": true}
	w.compare()
	assert.Empty(t, w.at("d00").VanishedHold, "one that is still missing is created anew")
	assert.NotZero(t, w.at("d00").GoneSince)
	assert.Zero(t, w.at("d01").GoneSince)
	assert.Empty(t, w.Object().Status.Holds)
	assert.Equal(t, "True NothingHeld", w.Condition(v1alpha1.ConditionReady))
	assert.Equal(t, map[string]int{eventHoldEnded: 1}, w.Told())
	assert.Zero(t, heldMetric(t, v1alpha1.HoldVanished, hold.ScopeTenant))
}

// TestCompare_TokensAreJudgedTogether: each token has its own lists.
func TestCompare_TokensAreJudgedTogether(t *testing.T) {
	w := newWorld(t)
	w.addDomains(4)
	w.loseMany(4)
	lists := map[string]map[types.NamespacedName]string{"a": {}, "b": {}}
	for name, id := range w.owned() {
		group := "a"
		if name.Name >= "d02" {
			group = "b"
		}
		lists[group][name] = id
	}
	for range 2 {
		for token, owned := range lists {
			w.keeper.Compare(t.Context(), resolved(token), w.Clock.Now(), owned, func(id string) bool { return !w.lost[id] })
		}
		w.Clock.Step(time.Minute)
	}
	assert.EqualValues(t, 4, w.hold().Held)
	for name := range w.owned() {
		assert.NotEmpty(t, w.at(name.Name).VanishedHold, name)
	}
}

// TestCompare_NamespacesWithOneToken: the lists have the same endpoint, and each namespace causes a
// call.
func TestCompare_NamespacesWithOneToken(t *testing.T) {
	w := newWorld(t)
	w.addDomains(2)
	shared := domainNamed("shared")
	shared.Spec.CredentialsSecretRef = nil
	w.Add(shared)
	w.lose("d00", "shared")
	parts := []map[types.NamespacedName]string{{}, {}}
	for name, id := range w.owned() {
		if name.Name == "shared" {
			parts[0][name] = id
		} else {
			parts[1][name] = id
		}
	}
	for range 2 {
		for _, owned := range parts {
			w.keeper.Compare(t.Context(), resolved("token"), w.Clock.Now(), owned, func(id string) bool { return !w.lost[id] })
		}
		w.Clock.Step(time.Minute)
	}
	assert.NotZero(t, w.at("d00").GoneSince)
	assert.NotZero(t, w.at("shared").GoneSince)
	assert.Zero(t, w.at("d01").GoneSince)
}

// TestCompare_NoLongerOwned: a Domain that no longer owns its domain does not count.
func TestCompare_NoLongerOwned(t *testing.T) {
	w := newWorld(t)
	w.addDomains(10)
	w.loseMany(4)
	w.compareTwice()
	require.NotEmpty(t, w.at("d00").VanishedHold)
	domain := w.domain("d03")
	domain.Status.Ownership.Records[0].State = ownership.Lost
	require.NoError(t, w.Store.Status().Update(t.Context(), domain))
	w.compare()
	assert.Empty(t, w.at("d00").VanishedHold)
	assert.Empty(t, w.Object().Status.Holds)
}

func TestCompare_AnotherIDWasNeverMissing(t *testing.T) {
	w := newWorld(t)
	w.addDomains(1)
	w.loseMany(1)
	w.compareTwice()
	require.NotZero(t, w.at("d00").GoneSince)
	domain := w.domain("d00")
	ledger := domain.Status.Ownership
	ledger.Records = append(ledger.Records, ownership.Record{Kind: "Domain", ID: "new", State: ownership.Held})
	ledger.Records[0].State = ownership.Lost
	require.NoError(t, w.Store.Status().Update(t.Context(), domain))
	assert.Zero(t, w.at("d00").GoneSince, "before the next list")
	w.lost["new"] = true
	w.compare()
	assert.Zero(t, w.at("d00").GoneSince, "after one list")
}

func TestForget(t *testing.T) {
	w := newWorld(t)
	w.addDomains(5)
	w.loseMany(4)
	w.compareTwice()
	require.NotEmpty(t, w.at("d00").VanishedHold)
	w.keeper.Forget(types.NamespacedName{Namespace: controllertest.Namespace, Name: "d03"})
	assert.Empty(t, w.at("d00").VanishedHold, "three may vanish")
	assert.Zero(t, w.at("d03").GoneSince)
}

func TestCompare_MovedToOtherCredentials(t *testing.T) {
	w := newWorld(t)
	w.addDomains(1)
	w.loseMany(1)
	w.compareTwice()
	domain := w.domain("d00")
	domain.Spec.CredentialsSecretRef = nil
	require.NoError(t, w.Store.Update(t.Context(), domain))
	assert.Zero(t, w.at("d00").GoneSince, "it was missing elsewhere")
}

// TestCompare_NeverLetsManyGo runs lists, restarts, releases and deletions in random order. The
// number of domains that are given up never exceeds the limit of the hold, except for those that
// were released.
func TestCompare_NeverLetsManyGo(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		w := newWorld(t)
		n := rapid.IntRange(1, 12).Draw(r, "domains")
		w.addDomains(n)
		released := map[string]bool{}
		for range rapid.IntRange(1, 15).Draw(r, "steps") {
			switch rapid.SampledFrom([]string{"lose", "restore", "list", "list", "list", "restart", "release", "wait"}).Draw(r, "step") {
			case "lose":
				w.loseMany(rapid.IntRange(1, n).Draw(r, "lost"))
			case "restore":
				w.lost = map[string]bool{}
				w.compare()
				released = map[string]bool{}
			case "list":
				w.compare()
			case "restart":
				w.restart()
			case "release":
				if held := w.keeper.verdictsAt(client.ObjectKeyFromObject(w.Object()))[v1alpha1.HoldVanished]; held.token != "" {
					w.annotate(held.token)
					w.reconcile()
					for _, name := range held.held {
						released[name] = true
					}
				}
			case "wait":
				w.Clock.Step(time.Minute)
			}
			free := 0
			for i := range n {
				name := fmt.Sprintf("d%02d", i)
				if state := w.at(name); !state.GoneSince.IsZero() && state.VanishedHold == "" && !released["team/"+name] {
					free++
				}
			}
			if free > max(3, n/10) {
				r.Fatalf("%d of %d domains would be given up", free, n)
			}
		}
	})
}
