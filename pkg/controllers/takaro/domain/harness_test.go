// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/tools/events"
	testingclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/secrets"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/netguard"
	"roadstead.dev/roadstead/pkg/takaro"
	standin "roadstead.dev/roadstead/test/fakes/takaro"
)

const (
	testNamespace = "team"
	testSystem    = "roadstead-system"
	testName      = "arena"
	testUID       = types.UID("11111111-2222-3333-4444-555555555555")
	testReference = "roadstead:unit:11111111-2222-3333-4444-555555555555"
	credentials   = "takaro-admin"
)

// world is what outlives a controller: the stored objects, Takaro, and the time.
type world struct {
	t      *testing.T
	store  client.WithWatch
	takaro *standin.Server
	front  *httptest.Server
	clock  *testingclock.FakeClock
	// through is what Takaro's requests pass before they reach it.
	through func(http.ResponseWriter, *http.Request)
}

// kinds is made once: that takes longer than a whole test.
var kinds = sync.OnceValue(func() *runtime.Scheme {
	made := runtime.NewScheme()
	utilruntime.Must(corev1.AddToScheme(made))
	utilruntime.Must(v1alpha1.AddToScheme(made))
	return made
})

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, clock: testingclock.NewFakeClock(time.Now()), takaro: standin.New(standin.Options{})}
	w.through = w.takaro.ServeHTTP
	w.front = httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, in *http.Request) { w.through(out, in) }))
	t.Cleanup(w.front.Close)
	w.store = fake.NewClientBuilder().WithScheme(kinds()).WithStatusSubresource(&v1alpha1.Domain{}).
		WithIndex(&v1alpha1.Domain{}, secretIndex, func(object client.Object) []string { return secretNames(object.(*v1alpha1.Domain)) }).
		Build()
	w.add(secret(testNamespace, credentials, nil, map[string]string{"adminToken": w.takaro.AdminToken()}))
	return w
}

func secret(namespace, name string, labels, data map[string]string) *corev1.Secret {
	made := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: labels}, Data: map[string][]byte{}}
	for key, value := range data {
		made.Data[key] = []byte(value)
	}
	return made
}

func (w *world) add(objects ...client.Object) {
	w.t.Helper()
	for _, object := range objects {
		require.NoError(w.t, w.store.Create(w.t.Context(), object))
	}
}

// addDomain stores a Domain as the API server would.
func (w *world) addDomain(change ...func(*v1alpha1.Domain)) {
	w.t.Helper()
	domain := &v1alpha1.Domain{
		ObjectMeta: metav1.ObjectMeta{Namespace: testNamespace, Name: testName, UID: testUID, Generation: 1},
		Spec: v1alpha1.DomainSpec{
			Name: testName, TakaroAPIURL: w.front.URL, DeletionPolicy: v1alpha1.DeletionPolicyDelete,
			CredentialsSecretRef: &v1alpha1.SecretKeyReference{Name: credentials, Key: "adminToken"},
		},
	}
	for _, do := range change {
		do(domain)
	}
	w.add(domain)
}

func withReference(reference string) func(*v1alpha1.Domain) {
	return func(d *v1alpha1.Domain) { d.Spec.ExternalReferenceID = reference }
}

func adopting(d *v1alpha1.Domain) {
	d.Spec.Adopt, d.Spec.DeletionPolicy = true, v1alpha1.DeletionPolicyRetain
}

// controller is one run of the program: what it remembers goes with it.
func (w *world) controller(api client.WithWatch) *reconciler {
	w.t.Helper()
	pool := takaro.NewPool(takaro.Options{QPS: 1e6, Burst: 1e6, Timeout: 5 * time.Second, FailureThreshold: 1000,
		Dial: netguard.Policy{AllowLoopback: true, AllowPrivate: true}})
	w.t.Cleanup(pool.Close)
	reader := secrets.NewReader(api, api)
	return &reconciler{
		client: api, live: api, secrets: secrets.NewOwned(reader, api), protector: secrets.NewProtector(api, api),
		endpoints: endpoint.NewResolver(api, reader, testSystem, nil), pool: pool,
		observer: newObserver(w.clock), remains: newRemains(w.clock), recorder: events.NewFakeRecorder(1000), installation: "unit",
	}
}

var testRequest = reconcile.Request{NamespacedName: types.NamespacedName{Namespace: testNamespace, Name: testName}}

// settle reconciles until nothing is left to do, letting the time pass that the controller asks for. Between runs it
// calls between.
func (w *world) settle(r *reconciler, between ...func()) {
	w.t.Helper()
	for range 40 {
		result, err := r.Reconcile(w.t.Context(), testRequest)
		for _, do := range between {
			do()
		}
		switch {
		case err != nil:
			w.clock.Step(time.Second)
		case result.RequeueAfter > 0:
			w.clock.Step(result.RequeueAfter)
		default:
			return
		}
	}
	require.FailNow(w.t, "it does not come to rest", "%+v", w.domain())
}

// domain returns the stored Domain, nil when it is gone.
func (w *world) domain() *v1alpha1.Domain {
	w.t.Helper()
	domain := &v1alpha1.Domain{}
	if err := w.store.Get(w.t.Context(), testRequest.NamespacedName, domain); err != nil {
		require.NoError(w.t, client.IgnoreNotFound(err))
		return nil
	}
	return domain
}

func (w *world) secret(name string) *corev1.Secret {
	w.t.Helper()
	found := &corev1.Secret{}
	require.NoError(w.t, w.store.Get(w.t.Context(), types.NamespacedName{Namespace: testNamespace, Name: name}, found))
	return found
}

// condition returns status and reason of a condition.
func (w *world) condition(kind string) string {
	w.t.Helper()
	found := meta.FindStatusCondition(w.domain().Status.Conditions, kind)
	if found == nil {
		return "absent"
	}
	return string(found.Status) + " " + found.Reason
}

func (w *world) requireReady() *v1alpha1.Domain {
	w.t.Helper()
	domain := w.domain()
	require.NotNil(w.t, domain)
	require.Equal(w.t, "True AsSpecified", w.condition(v1alpha1.ConditionReady), "%+v", domain.Status)
	require.Equal(w.t, v1alpha1.DomainReady, domain.Status.Phase)
	require.Len(w.t, w.takaro.Domains(), 1, "exactly one domain in Takaro")
	made := w.takaro.Domains()[0]
	require.Equal(w.t, made.ID, domain.Status.DomainID)
	require.Equal(w.t, made.ExternalReference, domain.Status.ExternalReferenceID)
	registration := w.secret(registrationSecretName(domain))
	require.Equal(w.t, made.RegistrationToken, string(registration.Data[keyToken]))
	require.Equal(w.t, made.ID, string(registration.Data[keyDomainID]))
	return domain
}

func (w *world) requireRootLogin() {
	w.t.Helper()
	require.Equal(w.t, "True RootCredentialsStored", w.condition(v1alpha1.ConditionRootCredentials))
	root := w.secret(testName + rootSuffix)
	require.True(w.t, w.takaro.PasswordIs(string(root.Data[keyUsername]), string(root.Data[keyPassword])), "the root login works")
	require.Equal(w.t, w.domain().Status.DomainID, string(root.Data[keyDomainID]))
}

// delete asks for the deletion of the Domain; the finalizer may hold it.
func (w *world) delete() {
	w.t.Helper()
	require.NoError(w.t, client.IgnoreNotFound(w.store.Delete(context.Background(), &v1alpha1.Domain{ObjectMeta: metav1.ObjectMeta{Namespace: testNamespace, Name: testName}})))
}

func indexOf(conditions []metav1.Condition, kind string) int {
	return slices.IndexFunc(conditions, func(c metav1.Condition) bool { return c.Type == kind })
}

// attemptOf connects a controller as a reconciliation of the domain does.
func attemptOf(t *testing.T, r *reconciler, domain *v1alpha1.Domain) *attempt {
	t.Helper()
	a := &attempt{domain: domain.DeepCopy()}
	require.Nil(t, r.connect(t.Context(), a))
	return a
}

func keyOf(t *testing.T, r *reconciler, domain *v1alpha1.Domain) endpoint.Key {
	return attemptOf(t, r, domain).key
}

// recordOf reads the domain's record from Takaro with another name.
func recordOf(t *testing.T, r *reconciler, domain *v1alpha1.Domain, rename func(*string)) *takaro.Domain {
	t.Helper()
	record, err := attemptOf(t, r, domain).client.GetDomain(t.Context(), domain.Status.DomainID)
	require.NoError(t, err)
	rename(&record.Name)
	return record
}
