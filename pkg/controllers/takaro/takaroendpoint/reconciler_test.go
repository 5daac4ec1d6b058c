// SPDX-License-Identifier: Apache-2.0

package takaroendpoint

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
)

func TestRelease(t *testing.T) {
	w := newWorld(t)
	w.addDomains(10)
	w.loseMany(5)
	w.compareTwice()
	token := w.hold().Token
	w.Events()

	w.annotate("5-000000")
	w.reconcile()
	assert.Empty(t, w.Object().Annotations)
	assert.NotEmpty(t, w.at("d00").VanishedHold, "another token releases nothing")
	require.Len(t, w.Recorder.Events, 1)
	refused := w.Events()[0]
	assert.Contains(t, refused, "Warning "+eventReleaseRefused)
	assert.Contains(t, refused, "roadstead.dev/release-hold="+token)

	w.annotate(token)
	w.reconcile()
	assert.Empty(t, w.Object().Annotations)
	state := w.at("d00")
	assert.Empty(t, state.VanishedHold)
	assert.NotZero(t, state.GoneSince)
	assert.Len(t, w.hold().Released, 5)
	assert.Zero(t, w.hold().Held)
	assert.Equal(t, "True NothingHeld", w.Condition(v1alpha1.ConditionReady))
	assert.Equal(t, map[string]int{eventHoldReleased: 1, eventHoldEnded: 1}, w.Told())

	w.annotate(token)
	w.reconcile()
	assert.Equal(t, map[string]int{eventReleaseRefused: 1}, w.Told(), "a token is for one use")
}

func TestRelease_CoversOnlyWhatWasHeld(t *testing.T) {
	w := newWorld(t)
	w.addDomains(12)
	w.loseMany(4)
	w.compareTwice()
	w.annotate(w.hold().Token)
	w.reconcile()
	w.loseMany(10)
	w.compareTwice()
	assert.Empty(t, w.at("d00").VanishedHold)
	assert.NotEmpty(t, w.at("d05").VanishedHold)
	assert.EqualValues(t, 6, w.hold().Held)

	// A domain that returned is held when it is missing the next time.
	w.lost = map[string]bool{}
	w.compare()
	assert.Empty(t, w.Object().Status.Holds)
	w.loseMany(4)
	w.compareTwice()
	assert.NotEmpty(t, w.at("d00").VanishedHold)
}

func TestRelease_WhileMoreIsMissing(t *testing.T) {
	w := newWorld(t)
	w.addDomains(10)
	w.loseMany(5)
	w.compareTwice()
	w.loseMany(6)
	w.compare()
	w.annotate(w.hold().Token)
	w.reconcile()
	assert.Empty(t, w.at("d00").VanishedHold)
	assert.Len(t, w.hold().Released, 5)
}

func TestRestart(t *testing.T) {
	w := newWorld(t)
	w.addDomains(10)
	w.loseMany(5)
	w.compareTwice()
	token := w.hold().Token
	w.Events()

	w.restart()
	w.annotate(token)
	assert.Equal(t, judgementWait, w.reconcile().RequeueAfter, "no list was judged yet")
	assert.Equal(t, token, w.hold().Token)
	w.compare()
	assert.Equal(t, judgementWait, w.reconcile().RequeueAfter, "one list proves nothing")
	assert.Equal(t, token, w.hold().Token, "the hold does not end for a minute")
	assert.Zero(t, w.at("d00").GoneSince)
	w.Clock.Step(time.Minute)
	w.compare()
	w.reconcile()
	assert.Empty(t, w.Object().Annotations)
	assert.Empty(t, w.at("d00").VanishedHold)
	assert.NotZero(t, w.at("d00").GoneSince)

	w.restart()
	w.compareTwice()
	assert.Empty(t, w.at("d00").VanishedHold, "the release is stored")
	assert.NotZero(t, w.at("d00").GoneSince)
}

func TestReconcile_Unused(t *testing.T) {
	w := newWorld(t)
	w.addDomains(2)
	w.reconcile()
	require.NotNil(t, w.Object())
	assert.EqualValues(t, 2, w.Object().Status.Domains)
	for _, name := range []string{"d00", "d01"} {
		require.NoError(t, w.Store.Delete(t.Context(), w.domain(name)))
	}
	w.reconcile()
	w.reconcile()
	assert.Nil(t, w.Object())
}

func TestReconcile_DeletedWhileUsed(t *testing.T) {
	w := newWorld(t)
	w.addDomains(1)
	require.NoError(t, w.Store.Delete(t.Context(), w.Object()))
	w.reconcile()
	require.NotNil(t, w.Object(), "a Domain uses it")
	assert.Equal(t, installation, w.at("d00").Installation)
	require.NoError(t, w.Store.Delete(t.Context(), w.domain("d00")))
	w.reconcile()
	require.Nil(t, w.Object())
	w.Add(domainNamed("d01"))
	w.at("d01")
	assert.NotNil(t, w.Object(), "it is created when it is needed again")
}

func TestReconcile_LeftKeepsIt(t *testing.T) {
	w := newWorld(t)
	w.addDomains(1)
	require.NoError(t, w.keeper.Leave(t.Context(), w.domain("d00"), resolved("token"), []string{"id"}))
	require.NoError(t, w.Store.Delete(t.Context(), w.domain("d00")))
	w.reconcile()
	require.NotNil(t, w.Object())
	assert.Nil(t, w.Object().DeletionTimestamp)
	require.NoError(t, w.Store.Delete(t.Context(), w.Object()))
	w.reconcile()
	assert.Nil(t, w.Object(), "an administrator may delete it")
}

func TestReconcile_HoldEndsWithItsDomains(t *testing.T) {
	w := newWorld(t)
	w.addDomains(4)
	w.Add(mockServer(true))
	w.loseMany(4)
	w.compareTwice()
	require.NotEmpty(t, w.Object().Status.Holds)
	for name := range w.owned() {
		require.NoError(t, w.Store.Delete(t.Context(), w.domain(name.Name)))
		w.keeper.Forget(name)
	}
	w.reconcile()
	assert.Empty(t, w.Object().Status.Holds)
	assert.Zero(t, w.Object().Status.Domains)
}

func mockServer(own bool) *v1alpha1.MockServer {
	server := &v1alpha1.MockServer{
		ObjectMeta: metav1.ObjectMeta{Namespace: controllertest.Namespace, Name: "server"},
		Spec:       v1alpha1.MockServerSpec{ExternalReferenceID: "ref", TakaroAPIURL: address},
	}
	if own {
		server.Spec.CredentialsSecretRef = &v1alpha1.SecretKeyReference{Name: "takaro-admin"}
	}
	return server
}

func TestUses(t *testing.T) {
	at := func(namespace, url string) *v1alpha1.TakaroEndpoint {
		return &v1alpha1.TakaroEndpoint{ObjectMeta: metav1.ObjectMeta{Namespace: namespace}, Spec: v1alpha1.TakaroEndpointSpec{URL: url}}
	}
	shared := domainNamed("shared")
	shared.Spec.CredentialsSecretRef = nil
	shared.Spec.TakaroAPIURL = "https://API.takaro.example:443/other"
	cases := map[string]struct {
		object   client.Object
		endpoint *v1alpha1.TakaroEndpoint
		uses     bool
	}{
		"own credentials":                        {domainNamed("own"), at("team", address), true},
		"own credentials, other namespace":       {domainNamed("own"), at("other", address), false},
		"own credentials, other path":            {domainNamed("own"), at("team", address+"/path"), false},
		"own credentials, installation":          {domainNamed("own"), at(controllertest.System, address), false},
		"installation, its own path":             {shared, at(controllertest.System, address+"/path"), true},
		"installation, other host":               {shared, at(controllertest.System, "https://other.example"), false},
		"installation, tenant's":                 {shared, at("team", address), false},
		"mock server with own credentials":       {mockServer(true), at("team", address), true},
		"mock server without":                    {mockServer(false), at(controllertest.System, address), true},
		"mock server of a Domain":                {&v1alpha1.MockServer{}, at(controllertest.System, address), false},
		"mock server of a Domain, no host known": {&v1alpha1.MockServer{}, at(controllertest.System, ""), false},
	}
	for name, c := range cases {
		assert.Equal(t, c.uses, userOf(c.object).uses(c.endpoint, controllertest.System), name)
	}
}
