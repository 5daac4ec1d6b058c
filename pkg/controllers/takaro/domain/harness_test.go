// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/controllers/takaro/parts"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
	"roadstead.dev/roadstead/pkg/controllers/takaro/takaroendpoint"
	"roadstead.dev/roadstead/pkg/engine/ownership"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

const (
	testName      = "arena"
	testUID       = types.UID("11111111-2222-3333-4444-555555555555")
	testReference = "roadstead:unit:11111111-2222-3333-4444-555555555555"
	credentials   = "takaro-admin"
)

// world contains a Domain's credentials, and the Domain itself once it is added.
type world struct {
	*controllertest.World[*v1alpha1.Domain]
	// running is the controller that was started last.
	running *reconciler
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{World: controllertest.New(t, controllertest.Kind[*v1alpha1.Domain]{
		Name: testName, New: func() *v1alpha1.Domain { return &v1alpha1.Domain{} },
		Conditions: func(d *v1alpha1.Domain) []metav1.Condition { return d.Status.Conditions },
		Indexes: map[string]client.IndexerFunc{secretIndex: func(object client.Object) []string {
			return secretNames(object.(*v1alpha1.Domain))
		}},
	})}
	w.Add(controllertest.NewSecret(controllertest.Namespace, credentials, nil, map[string]string{"adminToken": w.Takaro.AdminToken()}))
	return w
}

// addDomain stores a Domain as the API server would.
func (w *world) addDomain(change ...func(*v1alpha1.Domain)) {
	w.T.Helper()
	domain := &v1alpha1.Domain{
		ObjectMeta: metav1.ObjectMeta{Namespace: controllertest.Namespace, Name: testName, UID: testUID, Generation: 1},
		Spec: v1alpha1.DomainSpec{
			Name: testName, TakaroAPIURL: w.Front.URL, DeletionPolicy: v1alpha1.DeletionPolicyDelete,
			CredentialsSecretRef: &v1alpha1.SecretKeyReference{Name: credentials, Key: "adminToken"},
		},
	}
	for _, do := range change {
		do(domain)
	}
	w.Add(domain)
}

func withReference(reference string) func(*v1alpha1.Domain) {
	return func(d *v1alpha1.Domain) { d.Spec.ExternalReferenceID = reference }
}

func adopting(d *v1alpha1.Domain) {
	d.Spec.Adopt, d.Spec.DeletionPolicy = true, v1alpha1.DeletionPolicyRetain
}

// controller returns a new controller, as after a restart of the process.
func (w *world) controller(api client.WithWatch) *reconciler {
	w.T.Helper()
	of := w.Parts(api)
	keeper := takaroendpoint.New(takaroendpoint.Config{Namespace: controllertest.System, Installation: "unit", Clock: w.Clock})
	keeper.Lead()
	w.running = &reconciler{
		Parts: parts.New(parts.Shared{
			Secrets: of.Secrets, Protector: of.Protector, Endpoints: of.Endpoints, Pool: of.Pool, Keeper: keeper,
		}, problem.NewReporter(statusKind, api, w.Recorder), api, w.Clock),
		observer: newObserver(w.Clock),
	}
	return w.running
}

// Settle is like World.Settle, and runs the comparison for a domain that is missing.
func (w *world) Settle(controller reconcile.Reconciler, between ...func()) {
	w.T.Helper()
	w.World.Settle(controller, append(between, w.compareVanished)...)
}

// compareVanished runs the part of the comparison that a missing domain waits for.
func (w *world) compareVanished() {
	w.comparedAs(func(id string) bool {
		_, listed := w.Takaro.Domain(id)
		return listed
	})
}

// comparedAs is like compareVanished, with a list of the ids for which listed returns true.
func (w *world) comparedAs(listed func(id string) bool) {
	object := w.Object()
	if object == nil {
		return
	}
	record, owned := held(object)
	if !owned || !strings.HasSuffix(w.Condition(v1alpha1.ConditionReady), v1alpha1.ReasonVanished) {
		return
	}
	resolved, err := w.running.Endpoints.Resolve(w.T.Context(), object)
	require.NoError(w.T, err)
	ids := map[types.NamespacedName]string{w.Request().NamespacedName: record.ID}
	w.running.Keeper.Compare(w.T.Context(), resolved, w.Clock.Now(), ids, listed)
}

// requireRootStored requires that the root password of a domain is stored and works.
func (w *world) requireRootStored(id string) {
	w.T.Helper()
	username, password, found := loginOf(w.Secret(testName+rootSuffix).Data, id)
	require.True(w.T, found, "the root password of %s is stored", id)
	require.True(w.T, w.Takaro.PasswordIs(string(username), string(password)), "the root login works")
}

// record returns the ledger's only record.
func (w *world) record() ownership.Record {
	w.T.Helper()
	require.Len(w.T, w.Object().Status.Ownership.Records, 1)
	return w.Object().Status.Ownership.Records[0]
}

// ids returns the ids of all domains in Takaro.
func (w *world) ids() (ids []string) {
	for _, domain := range w.Takaro.Domains() {
		ids = append(ids, domain.ID)
	}
	return ids
}

func (w *world) requireReady() *v1alpha1.Domain {
	w.T.Helper()
	domain := w.Object()
	require.NotNil(w.T, domain)
	require.Equal(w.T, "True AsSpecified", w.Condition(v1alpha1.ConditionReady), "%+v", domain.Status)
	require.Equal(w.T, v1alpha1.DomainReady, domain.Status.Phase)
	require.Len(w.T, w.Takaro.Domains(), 1, "exactly one domain in Takaro")
	made := w.Takaro.Domains()[0]
	require.Equal(w.T, made.ID, domain.Status.DomainID)
	owned, _ := held(domain)
	require.Equal(w.T, made.ID, owned.ID)
	require.Equal(w.T, made.ExternalReference, domain.Status.ExternalReferenceID)
	registration := w.Secret(registrationSecretName(domain))
	require.Equal(w.T, made.RegistrationToken, string(registration.Data[keyToken]))
	require.Equal(w.T, made.ID, string(registration.Data[keyDomainID]))
	return domain
}

func (w *world) requireRootLogin() {
	w.T.Helper()
	require.Equal(w.T, "True RootCredentialsStored", w.Condition(v1alpha1.ConditionRootCredentials))
	root := w.Secret(testName + rootSuffix)
	require.True(w.T, w.Takaro.PasswordIs(string(root.Data[keyUsername]), string(root.Data[keyPassword])), "the root login works")
	require.Equal(w.T, w.Object().Status.DomainID, string(root.Data[keyDomainID]))
}

// attemptOf returns an attempt that is connected as in a reconciliation of the domain.
func attemptOf(t *testing.T, r *reconciler, domain *v1alpha1.Domain) *attempt {
	t.Helper()
	turn := r.Slots.Begin(reconcile.Request{NamespacedName: client.ObjectKeyFromObject(domain)})
	defer turn.End()
	a := &attempt{domain: domain.DeepCopy(), Connection: parts.Connection{Turn: turn}, seen: map[string]*takaro.Domain{}}
	require.Nil(t, r.connect(t.Context(), a))
	return a
}

func keyOf(t *testing.T, r *reconciler, domain *v1alpha1.Domain) endpoint.Key {
	return attemptOf(t, r, domain).Key
}

// recordOf reads the domain's record from Takaro and returns it with another name.
func recordOf(t *testing.T, r *reconciler, domain *v1alpha1.Domain, rename func(*string)) *takaro.Domain {
	t.Helper()
	record, err := attemptOf(t, r, domain).Client.GetDomain(t.Context(), domain.Status.DomainID)
	require.NoError(t, err)
	rename(&record.Name)
	return record
}
