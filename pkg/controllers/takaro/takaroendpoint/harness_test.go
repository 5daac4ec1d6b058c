// SPDX-License-Identifier: Apache-2.0

package takaroendpoint

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	ownership "roadstead.dev/roadstead/pkg/apis/ownership/v1alpha1"
	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base/hold"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

const (
	address      = "https://api.takaro.example"
	installation = "unit"
)

// resolved returns the endpoint of Domains with one token.
func resolved(token string) endpoint.Resolved {
	return endpoint.Resolved{Endpoint: takaro.Endpoint{URL: address, AdminToken: takaro.NewSecret(token)}}
}

// world contains the stored objects, and Takaro's list.
type world struct {
	*controllertest.World[*v1alpha1.TakaroEndpoint]
	keeper *Keeper
	// lost contains the ids that Takaro no longer lists.
	lost map[string]bool
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{lost: map[string]bool{}, World: controllertest.New(t, controllertest.Kind[*v1alpha1.TakaroEndpoint]{
		Name: nameOf(address), New: func() *v1alpha1.TakaroEndpoint { return &v1alpha1.TakaroEndpoint{} },
		Conditions: func(e *v1alpha1.TakaroEndpoint) []metav1.Condition { return e.Status.Conditions },
	})}
	w.restart()
	return w
}

// restart replaces the Keeper by a new one without state.
func (w *world) restart() {
	w.keeper = New(Config{
		Client: w.Store, Live: w.Store, Recorder: w.Recorder, Clock: w.Clock, Namespace: controllertest.System, Installation: installation,
	})
}

func domainNamed(name string) *v1alpha1.Domain {
	return &v1alpha1.Domain{
		ObjectMeta: metav1.ObjectMeta{Namespace: controllertest.Namespace, Name: name, UID: types.UID("uid-" + name)},
		Spec: v1alpha1.DomainSpec{
			TakaroAPIURL: address, CredentialsSecretRef: &v1alpha1.SecretKeyReference{Name: "takaro-admin", Key: "adminToken"},
		},
		Status: v1alpha1.DomainStatus{Ownership: &ownership.Status{Records: []ownership.Record{
			{Kind: "Domain", ID: "id-" + name, State: ownership.Held, Origin: ownership.Created},
		}}},
	}
}

// addDomains stores n Domains that each own a domain.
func (w *world) addDomains(n int) {
	w.T.Helper()
	for i := range n {
		w.Add(domainNamed(fmt.Sprintf("d%02d", i)))
		w.at(fmt.Sprintf("d%02d", i))
	}
	w.Events()
}

func (w *world) domain(name string) *v1alpha1.Domain {
	w.T.Helper()
	found := &v1alpha1.Domain{}
	require.NoError(w.T, w.Store.Get(w.T.Context(), types.NamespacedName{Namespace: controllertest.Namespace, Name: name}, found))
	return found
}

func (w *world) at(name string) State {
	w.T.Helper()
	state, err := w.keeper.At(w.T.Context(), w.domain(name), resolved("token"))
	require.NoError(w.T, err)
	return state
}

// lose removes domains from Takaro's lists.
func (w *world) lose(names ...string) {
	for _, name := range names {
		w.lost["id-"+name] = true
	}
}

// loseMany removes the first n domains.
func (w *world) loseMany(n int) {
	for i := range n {
		w.lose(fmt.Sprintf("d%02d", i))
	}
}

// owned returns the ids that the stored Domains hold.
func (w *world) owned() map[types.NamespacedName]string {
	w.T.Helper()
	list := &v1alpha1.DomainList{}
	require.NoError(w.T, w.Store.List(w.T.Context(), list))
	owned := map[types.NamespacedName]string{}
	for i := range list.Items {
		for _, id := range heldIDs(&list.Items[i]) {
			owned[client.ObjectKeyFromObject(&list.Items[i])] = id
		}
	}
	return owned
}

// compare passes a list to the Keeper.
func (w *world) compare() {
	w.T.Helper()
	w.keeper.Compare(w.T.Context(), resolved("token"), w.Clock.Now(), w.owned(), func(id string) bool { return !w.lost[id] })
}

// compareTwice passes two lists that are a minute apart.
func (w *world) compareTwice() {
	w.T.Helper()
	w.compare()
	w.Clock.Step(time.Minute)
	w.compare()
}

func (w *world) reconcile() reconcile.Result {
	w.T.Helper()
	result, err := (&reconciler{Keeper: w.keeper}).Reconcile(w.T.Context(), w.Request())
	require.NoError(w.T, err)
	return result
}

func (w *world) hold() v1alpha1.Hold {
	w.T.Helper()
	return holdIn(&w.Object().Status, v1alpha1.HoldVanished)
}

// annotate requests a release as kubectl annotate would.
func (w *world) annotate(token string) {
	w.T.Helper()
	e := w.Object()
	e.Annotations = map[string]string{hold.ReleaseAnnotation: token}
	require.NoError(w.T, w.Store.Update(w.T.Context(), e))
}

// heldMetric returns the number of held names in the metric.
func heldMetric(t *testing.T, of v1alpha1.HoldType, scope string) float64 {
	t.Helper()
	families, err := metrics.Registry.Gather()
	require.NoError(t, err)
	for _, family := range families {
		for _, series := range family.GetMetric() {
			labels := map[string]string{}
			for _, label := range series.GetLabel() {
				labels[label.GetName()] = label.GetValue()
			}
			if family.GetName() == "roadstead_held" && labels["hold"] == string(of) && labels["scope"] == scope {
				return series.GetGauge().GetValue()
			}
		}
	}
	require.Fail(t, "no series of roadstead_held")
	return 0
}
