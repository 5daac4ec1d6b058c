// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/controllers/takaro/parts"
	"roadstead.dev/roadstead/pkg/controllers/takaro/takaroendpoint"
	"roadstead.dev/roadstead/pkg/engine/takaro"
	standin "roadstead.dev/roadstead/test/fakes/takaro"
)

// watchedQueue is a watch with the queue that it fills.
type watchedQueue struct {
	*watch
	queue workqueue.TypedRateLimitingInterface[reconcile.Request]
}

// watching returns a watch of a world with one settled Domain.
func watching(t *testing.T) (*world, *watchedQueue) {
	t.Helper()
	w := newWorld(t)
	w.addDomain()
	controller := w.controller(w.Store)
	w.Settle(controller)
	comparer := newWatchedQueue(t, controller)
	w.Takaro.ResetCounts()
	w.Clock.Step(time.Second)
	return w, comparer
}

func newWatchedQueue(t *testing.T, controller *reconciler) *watchedQueue {
	t.Helper()
	comparer := &watchedQueue{watch: &watch{reconciler: controller}}
	comparer.queue = workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	t.Cleanup(comparer.queue.ShutDown)
	require.NoError(t, comparer.watch.Queue.Attach(t.Context(), comparer.queue))
	return comparer
}

// woken reports whether the comparison wakes the Domain.
func (w *watchedQueue) woken(t *testing.T) bool {
	t.Helper()
	w.loop().Once(t.Context())
	if w.queue.Len() == 0 {
		return false
	}
	request, _ := w.queue.Get()
	w.queue.Done(request)
	assert.Equal(t, types.NamespacedName{Namespace: controllertest.Namespace, Name: testName}, request.NamespacedName)
	return true
}

func TestCompareAtRest(t *testing.T) {
	w, comparer := watching(t)
	for range 3 {
		assert.False(t, comparer.woken(t))
	}
	assert.Equal(t, 3, w.Takaro.Count("", ""), "one list each time")
}

func TestCompareWakes(t *testing.T) {
	cases := map[string]func(*world){
		"a domain that vanished": func(w *world) { w.Takaro.RemoveDomain(w.Object().Status.DomainID) },
		"a spec that was not carried out": func(w *world) {
			w.Edit(func(d *v1alpha1.Domain) { d.Spec.Description = "new" })
		},
		"a drifted domain": func(w *world) {
			w.Edit(func(d *v1alpha1.Domain) { d.Spec.Name = "other" })
			domain := w.Object()
			domain.Status.ObservedGeneration = domain.Generation
			require.NoError(w.T, w.Store.Status().Update(w.T.Context(), domain))
		},
		"a lost registration token": func(w *world) {
			require.NoError(w.T, w.Store.Delete(w.T.Context(), w.Secret(testName+v1alpha1.RegistrationSecretSuffix)))
		},
		"a Takaro that fails": func(w *world) {
			_, err := w.Takaro.InjectFault(standin.Fault{Kind: standin.FaultBadGateway})
			require.NoError(w.T, err)
		},
	}
	for name, happen := range cases {
		w, comparer := watching(t)
		happen(w)
		assert.True(t, comparer.woken(t), name)
	}
}

func TestCompareWakesWhenTheEndpointAnswersAgain(t *testing.T) {
	w, comparer := watching(t)
	fault, err := w.Takaro.InjectFault(standin.Fault{Kind: standin.FaultBadGateway})
	require.NoError(t, err)
	assert.True(t, comparer.woken(t))
	_, err = comparer.Reconcile(t.Context(), w.Request())
	require.Error(t, err)
	assert.False(t, comparer.woken(t), "it is known already")
	w.Takaro.RemoveFault(fault)
	assert.True(t, comparer.woken(t))
}

func TestWakeEndpoint(t *testing.T) {
	w, comparer := watching(t)
	used := takaro.Endpoint{URL: w.Front.URL, AdminToken: takaro.NewSecret(w.Takaro.AdminToken()), Own: true}
	others := []takaro.Endpoint{used, used, used}
	others[0].URL, others[1].Own, others[2].AdminToken = "http://elsewhere.example", false, takaro.NewSecret("another")
	for _, other := range others {
		require.NoError(t, parts.Wake(t.Context(), comparer.Parts, other.Key(), &v1alpha1.DomainList{}, itself))
		assert.Zero(t, comparer.queue.Len())
	}
	require.NoError(t, parts.Wake(t.Context(), comparer.Parts, used.Key(), &v1alpha1.DomainList{}, itself))
	assert.Equal(t, 1, comparer.queue.Len())
}

func TestSecretsWakeTheirDomains(t *testing.T) {
	w := newWorld(t)
	w.addDomain()
	find := w.controller(w.Store).domainsOf(controllertest.System)
	label := map[string]string{endpoint.Label: "true"}
	cases := []struct {
		name  string
		of    client.Object
		wakes bool
	}{
		{"named in the spec", controllertest.NewSecret(controllertest.Namespace, credentials, nil, nil), true},
		{"the same name elsewhere", controllertest.NewSecret("elsewhere", credentials, nil, nil), false},
		{"of the root login, whoever owns it", controllertest.NewSecret(controllertest.Namespace, testName+rootSuffix, nil, nil), true},
		{"of the registration token",
			controllertest.NewSecret(controllertest.Namespace, testName+v1alpha1.RegistrationSecretSuffix, nil, nil), true},
		{"an endpoint of the installation", controllertest.NewSecret(controllertest.System, "any", label, nil), true},
		{"without the label", controllertest.NewSecret(controllertest.System, "any", nil, nil), false},
		{"labelled elsewhere", controllertest.NewSecret("elsewhere", "any", label, nil), false},
	}
	for _, c := range cases {
		var names []types.NamespacedName
		for _, request := range find(t.Context(), c.of) {
			names = append(names, request.NamespacedName)
		}
		assert.Equal(t, c.wakes, len(names) == 1 && names[0] == w.Request().NamespacedName, c.name)
	}
}

func TestSecretNames(t *testing.T) {
	ref := func(name string) *v1alpha1.SecretKeyReference { return &v1alpha1.SecretKeyReference{Name: name} }
	of := func(credentials, ca *v1alpha1.SecretKeyReference) []string {
		return secretNames(&v1alpha1.Domain{Spec: v1alpha1.DomainSpec{CredentialsSecretRef: credentials, CABundleSecretRef: ca}})
	}
	assert.Empty(t, of(nil, nil))
	assert.Equal(t, []string{"a"}, of(ref("a"), ref("a")))
	assert.Equal(t, []string{"a", "b"}, of(ref("a"), ref("b")))
}

func TestSecretUser(t *testing.T) {
	w := newWorld(t)
	w.addDomain()
	user := SecretUser(w.Store)
	for key, want := range map[types.NamespacedName]bool{
		{Namespace: controllertest.Namespace, Name: credentials}: true, {Namespace: controllertest.Namespace, Name: "x"}: false,
		{Namespace: "x", Name: credentials}: false,
	} {
		used, err := user.InUse(t.Context(), key)
		require.NoError(t, err)
		assert.Equal(t, want, used, key)
	}
	assert.Equal(t, []string{credentials}, user.Names(w.Object()))
}

func TestReferences(t *testing.T) {
	domain := &v1alpha1.Domain{}
	domain.UID = "u"
	key := generatedKey(domain, "here")
	assert.Equal(t, "roadstead:here:u", key)
	assert.Equal(t, "retained:here:u", takaroendpoint.RetainedReference(key))
	assert.Equal(t, key, wantedReference(domain, key))
	for stored, want := range map[string]string{
		"":                    key,
		"roadstead:before:u":  "roadstead:before:u",
		"roadstead:before:v":  key,
		"typed-in-a-form:u":   key,
		"roadstead:before:uu": key,
	} {
		domain.Status.ExternalReferenceID = stored
		assert.Equal(t, want, legacyKey(domain, key), stored)
	}
	domain.Spec.ExternalReferenceID = "typed"
	assert.Equal(t, "typed", wantedReference(domain, key))
	assert.Regexp(t, `^[0-9a-f]{12}$`, InstallationFor("any"))
	assert.NotEqual(t, InstallationFor("one"), InstallationFor("two"))
}
