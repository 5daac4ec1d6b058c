// SPDX-License-Identifier: Apache-2.0

//go:build integration && slow

package copies

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/engine/anchor"
	"roadstead.dev/roadstead/test/framework"
)

// cloned is the name of the database that stands for a clone of Takaro.
const cloned = "clone"

// TestCopyAtAClone restores both a cluster and its Takaro elsewhere. The clone of Takaro has the
// same anchor, whose holder writes only to the original. The copy takes over the anchor without a
// command and finds all known objects. The original is stopped while the address points to the
// clone.
func TestCopyAtAClone(t *testing.T) {
	s := newSite(t)
	for _, name := range []string{domainName, "edited", "deleted"} {
		s.createDomain(name)
	}
	s.createUser()
	for _, name := range []string{domainName, "edited", "deleted"} {
		s.awaitDomain(framework.Limit, name, readyReason)
	}
	s.awaitUser(framework.Limit)
	id, deleted := s.get(domainName).Status.DomainID, s.get("deleted").Status.DomainID
	password := s.secret(domainName+"-root", "password")

	backup := original.BackUp(t)
	require.NoError(t, original.Roadstead.Controller().Kill())
	holder, before := s.holder(), s.takaro.Domains()
	s.takaro.SaveSnapshot(cloned)
	main, _ := s.takaro.SwapDatabase(cloned, true)
	require.NoError(t, s.takaro.RestoreSnapshot(cloned, true))

	c := s.in(original.CopyCluster(t, backup, options...))
	begin := time.Now()
	c.awaitEndpoint(firstLooks, verified)
	framework.AwaitFor(t, firstLooks, "the copy holds the clone", func() error {
		if s.holder() == holder {
			return assert.AnError
		}
		return nil
	})
	t.Logf("the copy held the clone %d ms after its start", time.Since(begin).Milliseconds())
	c.describe("edited", "changed in the copy")
	c.delete("deleted")
	c.awaitDomain(takeOver, "edited", readyReason)
	c.awaitDomain(takeOver, domainName, readyReason)
	c.awaitUser(takeOver)
	framework.AwaitFor(t, takeOver, "the deletion in the clone", func() error {
		if _, exists := s.takaro.Domain(deleted); exists {
			return assert.AnError
		}
		return nil
	})
	assert.Equal(t, id, c.get(domainName).Status.DomainID)
	assert.Equal(t, password, c.secret(domainName+"-root", "password"))
	assert.Len(t, s.takaro.Domains(), len(before)-1, "nothing was created anew")

	require.NoError(t, c.env.Roadstead.Controller().Stop())
	s.takaro.SwapDatabase(main, true)
	require.Equal(t, before, s.takaro.Domains(), "the original Takaro is as it was")
	require.NoError(t, original.Roadstead.Controller().Start(t.Context()))
	framework.AwaitFor(t, firstLooks, "the original holds its Takaro again", func() error {
		if current := s.holder(); current == holder || current == anchor.Released {
			return assert.AnError
		}
		return nil
	})
	for _, name := range []string{domainName, "edited", "deleted"} {
		s.awaitDomain(takeOver, name, readyReason)
	}
	assert.Equal(t, deleted, s.get("deleted").Status.DomainID)
}
