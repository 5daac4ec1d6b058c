// SPDX-License-Identifier: Apache-2.0

//go:build integration && slow

package copies

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/engine/anchor"
	"roadstead.dev/roadstead/pkg/engine/ownership"
	"roadstead.dev/roadstead/test/framework"
)

const (
	// heldReason is the status and reason of all objects in a copy next to its original.
	heldReason = "False " + ownership.ReasonHeldByOther
	// verified is the status and reason of a TakaroEndpoint without holds.
	verified = "True " + v1alpha1.ReasonNothingHeld
	// firstLooks bounds the time until a copy has observed two writes of the original.
	firstLooks = anchor.StandStill + 3*anchor.Period + framework.Limit
	// takeOver bounds the time until an administrator's command takes effect, including on a busy
	// machine.
	takeOver = 45 * time.Second
)

// TestCopyBesideTheOriginal restores a cluster from a backup next to its original, with the same
// Takaro. Regardless of changes in the copy, only the original writes to Takaro, and a restart of
// the original changes nothing. Once the original is permanently stopped, the printed command lets
// the copy take over.
func TestCopyBesideTheOriginal(t *testing.T) {
	s := newSite(t)
	names := []string{domainName, "edited", "deleted"}
	for _, name := range names {
		s.createDomain(name)
	}
	s.createUser()
	for _, name := range names {
		s.awaitDomain(framework.Limit, name, readyReason)
	}
	s.awaitUser(framework.Limit)
	holder := s.holder()
	backup := original.BackUp(t)
	begin, before := time.Now(), s.takaro.Domains()
	c := s.in(original.CopyCluster(t, backup, options...))

	allReady := func() {
		for _, name := range names {
			assert.NoError(t, s.domainIs(name, readyReason), "the original works throughout")
		}
	}
	e := c.awaitEndpoint(firstLooks, heldReason)
	assert.Equal(t, holder, e.Status.Anchor.HeldBy)
	_, accepted := acceptCommand(t, e)
	assert.Equal(t, holder, accepted)
	c.createDomain("added")
	c.describe("edited", "changed in the copy")
	c.delete("deleted")
	for _, name := range []string{"added", "edited"} {
		c.awaitDomain(framework.Limit, name, heldReason)
	}
	c.awaitDomain(framework.Limit, "deleted", "False "+v1alpha1.ReasonDeletionBlocked)
	s.during(anchor.Period+anchor.Belief, allReady)
	assert.Empty(t, s.writesSince(begin, holder), "the original renews its anchor, and nobody writes anything else")
	assert.Equal(t, before, s.takaro.Domains())
	require.Equal(t, holder, s.holder())

	s.createDomain("later")
	names = append(names, "later")
	s.awaitDomain(framework.Limit, "later", readyReason)

	controller := original.Roadstead.Controller()
	for _, signal := range []struct {
		name string
		send func() error
	}{{"SIGTERM", controller.Stop}, {"SIGKILL", controller.Kill}} {
		name := signal.name
		require.NoError(t, signal.send())
		left, begin := s.holder(), time.Now()
		require.Equal(t, name == "SIGTERM", left == anchor.Released, "%s: the holder is %s", name, left)
		// A new process of the copy has only the stored state.
		require.NoError(t, c.env.Roadstead.Controller().Kill())
		require.NoError(t, c.env.Roadstead.Controller().Start(t.Context()))
		s.during(anchor.StandStill+2*anchor.Period, func() {
			require.Empty(t, s.writesSince(begin, ""), "%s: the copy writes while the original is stopped", name)
		})
		require.Equal(t, left, s.holder(), "%s: the copy does not take over", name)
		require.NoError(t, controller.Start(t.Context()))
		s.awaitEndpoint(firstLooks, verified)
		s.describe("edited", "changed in the original after "+name)
		s.awaitDomain(framework.Limit, "edited", readyReason)
		allReady()
		c.awaitEndpoint(framework.Limit, heldReason)
	}

	require.NoError(t, controller.Stop())
	framework.Await(t, "the condition names what is seen now", func() error {
		e = c.awaitEndpoint(framework.Limit, heldReason)
		if _, accepted = acceptCommand(t, e); accepted != anchor.Released {
			return assert.AnError
		}
		return nil
	})
	args, _ := acceptCommand(t, e)
	_, problems, err := c.env.Cluster.Kubectl(t.Context(), args...)
	require.NoError(t, err, problems)
	began := time.Now()
	e = c.awaitEndpoint(takeOver, verified)
	t.Logf("the copy took over %d ms after the command", time.Since(began).Milliseconds())
	assert.Empty(t, e.Status.Anchor.HeldBy)
	framework.Await(t, "the command is used once", func() error {
		if e = c.awaitEndpoint(framework.Limit, verified); len(e.Annotations) > 0 {
			return assert.AnError
		}
		return nil
	})
	assert.NotContains(t, []string{holder, anchor.Released}, s.holder())
	for _, name := range []string{domainName, "edited", "added"} {
		c.awaitDomain(takeOver, name, readyReason)
	}
	c.awaitUser(takeOver)
	framework.AwaitFor(t, takeOver, "the deletion in the copy", func() error {
		if _, exists := s.takaro.Domain(s.get("deleted").Status.DomainID); exists {
			return assert.AnError
		}
		return nil
	})
	_, exists := s.takaro.Domain(s.get("later").Status.DomainID)
	assert.True(t, exists, "the copy does not know it, and leaves it")
}
