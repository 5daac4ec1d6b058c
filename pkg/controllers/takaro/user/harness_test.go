// SPDX-License-Identifier: Apache-2.0

package user

import (
	"context"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
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
	testName      = "ann"
	testDomain    = "arena"
	testEmail     = "Ann@Example.com"
)

var testRequest = reconcile.Request{NamespacedName: types.NamespacedName{Namespace: testNamespace, Name: testName}}

// world is what outlives a controller: the stored objects, Takaro, and the time.
type world struct {
	t      *testing.T
	store  client.WithWatch
	takaro *standin.Server
	front  *httptest.Server
	clock  *testingclock.FakeClock
	// through is what Takaro's requests pass before they reach it.
	through func(http.ResponseWriter, *http.Request)
	// given is spec.password, which the API server does not show.
	given string
	// domainID is Takaro's id of the Domain.
	domainID string
	recorder *events.FakeRecorder
}

// read implements givenReader.
func (w *world) read(context.Context, string, string) (takaro.Secret, bool, error) {
	return takaro.NewSecret(w.given), w.given != "", nil
}

// newWorld has a Domain that is Ready.
func newWorld(t *testing.T) *world {
	t.Helper()
	kinds := runtime.NewScheme()
	require.NoError(t, scheme.AddToScheme(kinds))
	require.NoError(t, v1alpha1.AddToScheme(kinds))
	w := &world{t: t, clock: testingclock.NewFakeClock(time.Now()), takaro: standin.New(standin.Options{}), recorder: events.NewFakeRecorder(1000)}
	w.through = w.takaro.ServeHTTP
	w.front = httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, in *http.Request) { w.through(out, in) }))
	t.Cleanup(w.front.Close)
	build := fake.NewClientBuilder().WithScheme(kinds).WithStatusSubresource(&v1alpha1.Domain{}, &v1alpha1.User{})
	for field, values := range indexes {
		build = build.WithIndex(&v1alpha1.User{}, field, values)
	}
	w.store = build.Build()
	planted, _, err := w.takaro.PlantDomain(standin.Seed{MaxUsers: 3})
	require.NoError(t, err)
	w.domainID = planted.ID
	w.add(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: testNamespace, Name: "admin"}, Data: map[string][]byte{"adminToken": []byte(w.takaro.AdminToken())}},
		&v1alpha1.Domain{
			ObjectMeta: metav1.ObjectMeta{Namespace: testNamespace, Name: testDomain, UID: "domain-uid", Generation: 1, Finalizers: []string{"test/hold"}},
			Spec:       v1alpha1.DomainSpec{TakaroAPIURL: w.front.URL, DeletionPolicy: v1alpha1.DeletionPolicyDelete, CredentialsSecretRef: &v1alpha1.SecretKeyReference{Name: "admin", Key: "adminToken"}},
			Status:     v1alpha1.DomainStatus{DomainID: planted.ID},
		})
	return w
}

func (w *world) add(objects ...client.Object) {
	w.t.Helper()
	for _, object := range objects {
		require.NoError(w.t, w.store.Create(w.t.Context(), object))
	}
}

// addUser stores a User as the API server would.
func (w *world) addUser(change ...func(*v1alpha1.User)) {
	w.t.Helper()
	user := &v1alpha1.User{
		ObjectMeta: metav1.ObjectMeta{Namespace: testNamespace, Name: testName, UID: "user-uid", Generation: 1},
		Spec: v1alpha1.UserSpec{Name: testName, Email: testEmail, DomainRef: v1alpha1.LocalObjectReference{Name: testDomain},
			Roles: []string{"Admin", "Moderator"}, DeletionPolicy: v1alpha1.UserDeletionPolicyDelete},
	}
	for _, do := range change {
		do(user)
	}
	w.add(user)
}

// edit changes the stored User's spec as a person does.
func (w *world) edit(change func(*v1alpha1.UserSpec)) {
	w.t.Helper()
	user := w.user()
	change(&user.Spec)
	user.Generation++
	require.NoError(w.t, w.store.Update(w.t.Context(), user))
}

func (w *world) editDomain(change func(*v1alpha1.Domain)) {
	w.t.Helper()
	domain := &v1alpha1.Domain{}
	require.NoError(w.t, w.store.Get(w.t.Context(), types.NamespacedName{Namespace: testNamespace, Name: testDomain}, domain))
	change(domain)
	require.NoError(w.t, w.store.Update(w.t.Context(), domain))
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
		roster: newRoster(w.clock), absences: newAbsences(w.clock),
		seed: &seedStore{secrets: reader, writer: api, namespace: testSystem}, given: w, recorder: w.recorder,
	}
}

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
	require.FailNow(w.t, "it does not come to rest", "%+v", w.user())
}

// once reconciles a User that waits for something.
func (w *world) once(r *reconciler) reconcile.Result {
	w.t.Helper()
	result, err := r.Reconcile(w.t.Context(), testRequest)
	require.NoError(w.t, err)
	return result
}

// user returns the stored User, nil when it is gone.
func (w *world) user() *v1alpha1.User {
	w.t.Helper()
	user := &v1alpha1.User{}
	if err := w.store.Get(w.t.Context(), testRequest.NamespacedName, user); err != nil {
		require.NoError(w.t, client.IgnoreNotFound(err))
		return nil
	}
	return user
}

// inTakaro returns the users of the domain but for the root user.
func (w *world) inTakaro() []standin.User {
	domain, _ := w.takaro.Domain(w.domainID)
	return slices.DeleteFunc(domain.Users, func(user standin.User) bool { return user.Name == "root" })
}

// condition returns status and reason of a condition.
func (w *world) condition(kind string) string {
	w.t.Helper()
	found := meta.FindStatusCondition(w.user().Status.Conditions, kind)
	if found == nil {
		return "absent"
	}
	return string(found.Status) + " " + found.Reason
}

func (w *world) login() map[string]string {
	w.t.Helper()
	secret := &corev1.Secret{}
	require.NoError(w.t, w.store.Get(w.t.Context(), types.NamespacedName{Namespace: testNamespace, Name: testName + secretSuffix}, secret))
	data := map[string]string{}
	for key, value := range maps.All(secret.Data) {
		data[key] = string(value)
	}
	return data
}

// requireReady requires that all is as the spec says, here and in Takaro.
func (w *world) requireReady() {
	w.t.Helper()
	user := w.user()
	require.NotNil(w.t, user)
	require.Equal(w.t, "True AsSpecified", w.condition(v1alpha1.ConditionReady), "%+v", user.Status)
	require.Equal(w.t, v1alpha1.UserReady, user.Status.Phase)
	require.Len(w.t, w.inTakaro(), 1, "exactly one user in Takaro")
	made := w.inTakaro()[0]
	require.Equal(w.t, made.ID, user.Status.UserID)
	require.ElementsMatch(w.t, user.Spec.Roles, made.Roles)
	require.ElementsMatch(w.t, user.Spec.Roles, user.Status.Roles)
	require.Equal(w.t, user.Spec.Name, made.Name)
	login := w.login()
	require.Equal(w.t, []string{testEmail, testEmail, w.domainID, w.front.URL}, []string{login[keyUsername], login[keyEmail], login[keyDomainID], login[keyTakaroAPIURL]})
	require.True(w.t, w.takaro.PasswordIs(testEmail, login[keyPassword]), "the login works")
}

// delete asks for the deletion of the User; the finalizer may hold it.
func (w *world) delete() {
	w.t.Helper()
	require.NoError(w.t, client.IgnoreNotFound(w.store.Delete(context.Background(), &v1alpha1.User{ObjectMeta: metav1.ObjectMeta{Namespace: testNamespace, Name: testName}})))
}
