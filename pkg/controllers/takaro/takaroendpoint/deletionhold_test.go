// SPDX-License-Identifier: Apache-2.0

package takaroendpoint

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/client"

	ownership "roadstead.dev/roadstead/pkg/apis/ownership/v1alpha1"
	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base/hold"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
)

func TestDeletionHold(t *testing.T) {
	retain := func(d *v1alpha1.Domain) { d.Spec.DeletionPolicy = v1alpha1.DeletionPolicyRetain }
	disable := func(d *v1alpha1.Domain) { d.Spec.DeletionPolicy = v1alpha1.DeletionPolicyDisable }
	found := func(d *v1alpha1.Domain) { d.Status.Ownership.Records[0].Origin = ownership.Found }
	lost := func(d *v1alpha1.Domain) { d.Status.Ownership.Records[0].State = ownership.Lost }
	together := func(d *v1alpha1.Domain) { d.Name, d.Namespace = d.Namespace, controllertest.Namespace }
	own := func(d *v1alpha1.Domain) { d.Spec.CredentialsSecretRef = &v1alpha1.SecretKeyReference{Name: "own"} }
	for name, c := range map[string]struct {
		namespaces, deleted int
		change              func(*v1alpha1.Domain)
		held                bool
	}{
		"three of three":        {3, 3, nil, false},
		"four of four":          {4, 4, nil, true},
		"a tenth":               {40, 4, nil, false},
		"more than a tenth":     {39, 4, nil, true},
		"disabled":              {4, 4, disable, true},
		"retained":              {4, 4, retain, false},
		"younger than a day":    {4, 4, young, false},
		"never deleted anyway":  {4, 4, found, false},
		"their domain vanished": {4, 4, lost, false},
		"of one namespace":      {4, 4, together, false},
		"own credentials":       {4, 4, own, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			var domains []*v1alpha1.Domain
			for i := range c.namespaces {
				domain := settled(i)
				if c.change != nil {
					c.change(domain)
				}
				w.Add(domain)
				_, err := w.keeper.At(t.Context(), domain, resolved("token"))
				require.NoError(t, err)
				domains = append(domains, domain)
			}
			for i := range c.deleted {
				require.NoError(t, w.Store.Delete(t.Context(), domains[i]))
			}
			for i, domain := range domains {
				require.NoError(t, w.Store.Get(t.Context(), client.ObjectKeyFromObject(domain), domain))
				command, err := w.keeper.DeletionHold(t.Context(), domain)
				require.NoError(t, err)
				assert.Equal(t, c.held && i < c.deleted, command != "", "%d: %s", i, command)
				state, err := w.keeper.At(t.Context(), domain, resolved("token"))
				require.NoError(t, err)
				assert.Equal(t, command, state.DeletionHold)
			}
		})
	}
}

func TestDeletionHold_IsShown(t *testing.T) {
	w := newWorld(t)
	w.addSettled(40)
	w.remove(0, 29)
	w.reconcileInstallation()
	announced := w.deletionHold()
	assert.EqualValues(t, 30, announced.Held)
	assert.Regexp(t, `^30-[0-9a-f]{6}$`, announced.Token)
	require.Len(t, announced.Names, maxNames)
	assert.Equal(t, "ns00", announced.Names[0])
	command := "kubectl annotate takaroendpoints.takaro.roadstead.dev " + nameOf(address) +
		" -n roadstead-system roadstead.dev/release-hold=" + announced.Token + " --overwrite"
	assert.Equal(t, command, w.holdOf(29))
	ready := w.installationEndpoint().Status.Conditions[0]
	assert.Equal(t, "False DeletionsHeld", string(ready.Status)+" "+ready.Reason)
	assert.Contains(t, ready.Message, "Domains in 30 namespaces were deleted")
	assert.Contains(t, ready.Message, command)
	assert.Contains(t, ready.Message, "deletionPolicy: Retain")
	assert.Equal(t, map[string]int{v1alpha1.ReasonDeletionsHeld: 1}, w.Told())
	assert.EqualValues(t, 30, heldMetric(t, v1alpha1.HoldDeletion, hold.ScopeInstallation))
	assert.Zero(t, heldMetric(t, v1alpha1.HoldDeletion, hold.ScopeTenant))
	version := w.installationEndpoint().ResourceVersion
	w.reconcileInstallation()
	assert.Equal(t, version, w.installationEndpoint().ResourceVersion, "nothing is written while nothing changes")

	for i := range 30 {
		domain := w.settled(i)
		domain.Spec.DeletionPolicy = v1alpha1.DeletionPolicyRetain
		require.NoError(t, w.Store.Update(t.Context(), domain))
		require.True(t, w.end(i))
	}
	w.reconcileInstallation()
	assert.Empty(t, w.installationEndpoint().Status.Holds)
	assert.Equal(t, map[string]int{eventHoldEnded: 1}, w.Told())
	assert.Zero(t, heldMetric(t, v1alpha1.HoldDeletion, hold.ScopeInstallation))
	w.remove(30, 32)
	w.reconcileInstallation()
	assert.Empty(t, w.holdOf(32), "what was retained does not count")
}

func TestDeletionHold_CountsWhatWasDeletedBefore(t *testing.T) {
	w := newWorld(t)
	w.addSettled(10)
	for i := range 3 {
		w.remove(i, i)
		require.True(t, w.end(i))
	}
	w.remove(3, 3)
	assert.NotEmpty(t, w.holdOf(3), "the fourth within ten minutes")
	w.reconcileInstallation()
	assert.Equal(t, []string{"ns03"}, w.deletionHold().Names, "the others are no longer there")

	w.Clock.Step(time.Hour)
	assert.NotEmpty(t, w.holdOf(3), "time confirms nothing")
	w.reconcileInstallation()
	w.restart()
	assert.NotEmpty(t, w.holdOf(3), "nor does a restart")
	w.remove(4, 4)
	assert.Empty(t, w.holdOf(4), "an hour after the others, by the clock of this process")
}

func TestDeletionHold_ForgetsWhatWasDeletedLongAgo(t *testing.T) {
	w := newWorld(t)
	w.addSettled(10)
	w.remove(0, 2)
	for i := range 3 {
		require.True(t, w.end(i))
	}
	w.Clock.Step(2*deletionWindow + time.Minute)
	w.remove(3, 3)
	assert.Empty(t, w.holdOf(3))
}

// One deletion is retained, so that the remaining ones would not be held by themselves. They stay
// held.
func TestDeletionHold_StaysHeld(t *testing.T) {
	w := newWorld(t)
	w.addSettled(10)
	w.remove(0, 3)
	w.reconcileInstallation()
	require.NotEmpty(t, w.holdOf(3))
	domain := w.settled(0)
	domain.Spec.DeletionPolicy = v1alpha1.DeletionPolicyRetain
	require.NoError(t, w.Store.Update(t.Context(), domain))
	require.True(t, w.end(0))
	assert.NotEmpty(t, w.holdOf(3))
	w.reconcileInstallation()
	assert.EqualValues(t, 3, w.deletionHold().Held)
}

func TestDeletionHold_AfterARestart(t *testing.T) {
	w := newWorld(t)
	w.addSettled(10)
	w.remove(0, 4)
	w.restart()
	assert.NotEmpty(t, w.holdOf(0), "nobody had judged it")
	w.reconcileInstallation()
	token := w.deletionHold().Token
	require.NotEmpty(t, token)
	w.Events()

	w.restart()
	w.reconcileInstallation()
	assert.Equal(t, token, w.deletionHold().Token)
	assert.Empty(t, w.Events())
	w.releaseInstallation(token)
	assert.Empty(t, w.holdOf(0))
	w.restart()
	assert.Empty(t, w.holdOf(0), "the release is stored")
}

func TestDeletionHold_Release(t *testing.T) {
	w := newWorld(t)
	w.addSettled(10)
	w.remove(0, 4)
	w.reconcileInstallation()
	token := w.deletionHold().Token
	w.Events()
	w.releaseInstallation("5-000000")
	assert.Equal(t, map[string]int{eventReleaseRefused: 1}, w.Told())
	assert.NotEmpty(t, w.holdOf(0))

	w.remove(5, 5)
	w.releaseInstallation(token)
	assert.NotEmpty(t, w.holdOf(0), "the user has not seen the sixth")
	token = w.deletionHold().Token
	w.Events()
	w.releaseInstallation(token)
	assert.Equal(t, map[string]int{eventHoldReleased: 1, eventHoldEnded: 1}, w.Told())
	assert.Empty(t, w.installationEndpoint().Annotations)
	assert.Len(t, w.deletionHold().Released, 6)
	assert.Zero(t, w.deletionHold().Held)
	for i := range 6 {
		assert.True(t, w.end(i))
	}
	w.reconcileInstallation()
	assert.Empty(t, w.installationEndpoint().Status.Holds, "a release ends with what it was for")
	w.remove(6, 8)
	w.reconcileInstallation()
	assert.Empty(t, w.holdOf(8), "what was confirmed does not count")
	w.remove(9, 9)
	assert.NotEmpty(t, w.holdOf(9))
}

// A new namespace with the same name is treated as a different one.
func TestDeletionHold_ReleaseEndsWithTheDomain(t *testing.T) {
	w := newWorld(t)
	w.addSettled(10)
	w.remove(0, 4)
	w.reconcileInstallation()
	w.releaseInstallation(w.deletionHold().Token)
	for i := range 5 {
		require.True(t, w.end(i))
		again := settled(i)
		again.UID += "-again"
		w.Add(again)
	}
	w.remove(0, 4)
	w.reconcileInstallation()
	assert.NotEmpty(t, w.holdOf(0))
}
