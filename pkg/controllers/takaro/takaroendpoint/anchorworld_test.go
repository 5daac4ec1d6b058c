// SPDX-License-Identifier: Apache-2.0

package takaroendpoint

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
	"roadstead.dev/roadstead/pkg/engine/anchor"
	"roadstead.dev/roadstead/pkg/engine/takaro"
	standin "roadstead.dev/roadstead/test/fakes/takaro"
)

const adminSecret = "takaro-admin"

// site is a cluster with its Takaro, and the process that is the leader there.
type site struct {
	*controllertest.World[*v1alpha1.TakaroEndpoint]
	*process
	woken int
}

// process simulates one process of the controller.
type process struct {
	keeper *Keeper
	fenced error
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{World: controllertest.New(t, controllertest.Kind[*v1alpha1.TakaroEndpoint]{
		New: func() *v1alpha1.TakaroEndpoint { return &v1alpha1.TakaroEndpoint{} },
	})}
	s.Add(controllertest.NewSecret(controllertest.Namespace, adminSecret, nil, map[string]string{"adminToken": s.Takaro.AdminToken()}))
	s.Add(s.domain("arena"))
	s.process = s.start()
	s.process.keeper.Lead()
	return s
}

// domain returns a Domain that owns the Takaro domain with the id "<name>-id" if one exists.
func (s *site) domain(name string) *v1alpha1.Domain {
	made := domainNamed(name)
	made.Spec.TakaroAPIURL = s.Front.URL
	made.Status.Ownership = nil
	return made
}

// own adds a Takaro domain that the Domain holds.
func (s *site) own(name string) string {
	s.T.Helper()
	planted, _, err := s.Takaro.PlantDomain(standin.Seed{Name: name, ExternalReference: "key-" + name})
	require.NoError(s.T, err)
	object := s.stored(name)
	object.Status.Ownership = domainNamed(name).Status.Ownership
	object.Status.Ownership.Records[0].ID, object.Status.Ownership.Records[0].Key = planted.ID, "key-"+name
	require.NoError(s.T, s.Store.Status().Update(s.T.Context(), object))
	return planted.ID
}

func (s *site) stored(name string) *v1alpha1.Domain {
	s.T.Helper()
	found := &v1alpha1.Domain{}
	require.NoError(s.T, s.Store.Get(s.T.Context(), types.NamespacedName{Namespace: controllertest.Namespace, Name: name}, found))
	return found
}

// start returns a new process, which is not the leader.
func (s *site) start() *process {
	s.T.Helper()
	parts, p := s.Parts(s.Store), &process{}
	p.keeper = New(Config{
		Client: s.Store, Live: s.Store, Recorder: s.Recorder, Clock: s.Clock, Namespace: controllertest.System, Installation: installation,
		Pool: parts.Pool, Endpoints: parts.Endpoints, Fenced: func() error { return p.fenced },
	})
	p.keeper.OnChange(func(_ context.Context, users Users) { s.woken += len(users.Domains) })
	return p
}

// replace starts another process, which becomes the leader.
func (s *site) replace() {
	s.T.Helper()
	s.process = s.start()
	s.keeper.Lead()
}

// look advances the clock and runs the checks that are due.
func (s *site) look(passed time.Duration) {
	s.T.Helper()
	s.Clock.Step(passed)
	s.Takaro.AdvanceClock(time.Millisecond) // two changes at the same time would not be detected
	s.lookAs(s.process)
}

func (s *site) lookAs(p *process) {
	s.T.Helper()
	var looks sync.WaitGroup
	require.NoError(s.T, verifier{p.keeper}.lookAtDue(s.T.Context(), &looks))
	looks.Wait()
}

// at returns the State of the Domain.
func (s *site) at() State {
	s.T.Helper()
	domain := s.stored("arena")
	resolved, err := s.keeper.Endpoints.Resolve(s.T.Context(), domain)
	require.NoError(s.T, err)
	state, err := s.keeper.At(s.T.Context(), domain, resolved)
	require.NoError(s.T, err)
	return state
}

// use creates the TakaroEndpoint and verifies it.
func (s *site) use() {
	s.T.Helper()
	require.False(s.T, s.at().Verified, "nothing is known yet")
	s.look(0)
	require.True(s.T, s.at().Verified)
}

func (s *site) endpoint() *v1alpha1.TakaroEndpoint {
	s.T.Helper()
	address, err := takaro.NormalizeURL(s.Front.URL)
	require.NoError(s.T, err)
	found := &v1alpha1.TakaroEndpoint{}
	name := types.NamespacedName{Namespace: controllertest.Namespace, Name: nameOf(address)}
	require.NoError(s.T, s.Store.Get(s.T.Context(), name, found))
	return found
}

func (s *site) ready() metav1.Condition {
	s.T.Helper()
	conditions := s.endpoint().Status.Conditions
	ready, stalled := conditions[0], meta.FindStatusCondition(conditions, v1alpha1.ConditionStalled)
	require.Equal(s.T, v1alpha1.ConditionReady, ready.Type)
	require.Equal(s.T, ready.Status == metav1.ConditionFalse, stalled != nil, "whatever is held waits for a release")
	return ready
}

// client returns a client with the Domain's credentials and without a guard.
func (s *site) client() *takaro.Client {
	s.T.Helper()
	resolved, err := s.keeper.Endpoints.Resolve(s.T.Context(), s.stored("arena"))
	require.NoError(s.T, err)
	c, err := s.keeper.Pool.Client(resolved.Endpoint)
	require.NoError(s.T, err)
	return c
}

func (s *site) anchor() standin.Anchor {
	s.T.Helper()
	anchors := s.Takaro.Anchors()
	require.Len(s.T, anchors, 1)
	return anchors[0]
}

// hold writes another holder into the anchor, as another installation would.
func (s *site) hold(holder string) {
	s.T.Helper()
	s.Takaro.AdvanceClock(time.Millisecond)
	name := anchor.Name(installation, holder)
	_, err := s.client().UpdateDomain(s.T.Context(), s.anchor().ID, takaro.DomainUpdate{Name: &name})
	require.NoError(s.T, err)
}

// accept runs the command in a message.
func (s *site) accept(message string) {
	s.T.Helper()
	_, rest, found := strings.Cut(message, AcceptAnnotation+"=")
	require.True(s.T, found, message)
	token, _, _ := strings.Cut(rest, " ")
	e := s.endpoint()
	e.Annotations = map[string]string{AcceptAnnotation: token}
	require.NoError(s.T, s.Store.Update(s.T.Context(), e))
}

// addAnother stores another TakaroEndpoint with the same address and the given finalizers.
func (s *site) addAnother(t *testing.T, finalizers ...string) *v1alpha1.TakaroEndpoint {
	t.Helper()
	other := s.endpoint()
	other.Namespace, other.ResourceVersion, other.UID, other.Finalizers = "another", "", "another", finalizers
	require.NoError(t, s.Store.Create(t.Context(), other))
	return other
}
