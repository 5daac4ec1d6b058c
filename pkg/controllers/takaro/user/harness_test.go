// SPDX-License-Identifier: Apache-2.0

package user

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base/absence"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
	"roadstead.dev/roadstead/pkg/controllers/takaro/parts"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
	"roadstead.dev/roadstead/pkg/controllers/takaro/takaroendpoint"
	"roadstead.dev/roadstead/pkg/engine/ownership"
	"roadstead.dev/roadstead/pkg/engine/takaro"
	standin "roadstead.dev/roadstead/test/fakes/takaro"
)

const (
	testName   = "ann"
	testDomain = "arena"
	testEmail  = "Ann@Example.com"
)

// world contains a Domain that is Ready, and a User once it is added.
type world struct {
	*controllertest.World[*v1alpha1.User]
	// given is spec.password, which the API server does not return.
	given string
	// domainID is Takaro's id of the Domain.
	domainID string
}

// read implements givenReader.
func (w *world) read(context.Context, *v1alpha1.User) (takaro.Secret, bool, error) {
	return takaro.NewSecret(w.given), w.given != "", nil
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{World: controllertest.New(t, controllertest.Kind[*v1alpha1.User]{
		Name: testName, New: func() *v1alpha1.User { return &v1alpha1.User{} },
		Conditions: func(u *v1alpha1.User) []metav1.Condition { return u.Status.Conditions }, Indexes: indexes,
	})}
	planted, _, err := w.Takaro.PlantDomain(standin.Seed{MaxUsers: 3})
	require.NoError(t, err)
	w.domainID = planted.ID
	w.Add(controllertest.NewSecret(controllertest.Namespace, "admin", nil, map[string]string{"adminToken": w.Takaro.AdminToken()}),
		&v1alpha1.Domain{
			ObjectMeta: metav1.ObjectMeta{Namespace: controllertest.Namespace, Name: testDomain, UID: "domain-uid", Generation: 1,
				Finalizers: []string{"test/hold"}},
			Spec: v1alpha1.DomainSpec{TakaroAPIURL: w.Front.URL, DeletionPolicy: v1alpha1.DeletionPolicyDelete,
				CredentialsSecretRef: &v1alpha1.SecretKeyReference{Name: "admin", Key: "adminToken"}},
			Status: held(planted.ID),
		})
	return w
}

// held returns the status of a Domain that holds a Takaro domain.
func held(domainID string) v1alpha1.DomainStatus {
	return v1alpha1.DomainStatus{DomainID: domainID, Ownership: &ownership.Status{Records: []ownership.Record{{
		Kind: "Domain", ID: domainID, Key: "roadstead:test:domain-uid", State: ownership.Held, Origin: ownership.Created, Since: metav1.Now(),
	}}}}
}

// addUser stores a User as the API server would.
func (w *world) addUser(change ...func(*v1alpha1.User)) {
	w.T.Helper()
	user := &v1alpha1.User{
		ObjectMeta: metav1.ObjectMeta{Namespace: controllertest.Namespace, Name: testName, UID: "user-uid", Generation: 1},
		Spec: v1alpha1.UserSpec{Name: testName, Email: testEmail, DomainRef: v1alpha1.LocalObjectReference{Name: testDomain},
			Roles: []string{"Admin", "Moderator"}, DeletionPolicy: v1alpha1.UserDeletionPolicyDelete},
	}
	for _, do := range change {
		do(user)
	}
	w.Add(user)
}

// edit changes the stored User's spec as a user would.
func (w *world) edit(change func(*v1alpha1.UserSpec)) {
	w.T.Helper()
	w.Edit(func(user *v1alpha1.User) { change(&user.Spec) })
}

func (w *world) editDomain(change func(*v1alpha1.Domain)) {
	w.T.Helper()
	domain := &v1alpha1.Domain{}
	require.NoError(w.T, w.Store.Get(w.T.Context(), types.NamespacedName{Namespace: controllertest.Namespace, Name: testDomain}, domain))
	change(domain)
	require.NoError(w.T, w.Store.Update(w.T.Context(), domain))
}

// setDomain stores the status of the Domain as its controller would.
func (w *world) setDomain(status v1alpha1.DomainStatus) {
	w.T.Helper()
	domain := &v1alpha1.Domain{}
	require.NoError(w.T, w.Store.Get(w.T.Context(), types.NamespacedName{Namespace: controllertest.Namespace, Name: testDomain}, domain))
	domain.Status = status
	require.NoError(w.T, w.Store.Status().Update(w.T.Context(), domain))
}

// controller returns a new controller, as after a restart of the process.
func (w *world) controller(api client.WithWatch) *reconciler {
	w.T.Helper()
	of := w.Parts(api)
	keeper := takaroendpoint.New(takaroendpoint.Config{Namespace: controllertest.System, Installation: "test", Clock: w.Clock})
	return &reconciler{
		Parts: parts.New(parts.Shared{
			Secrets: of.Secrets, Protector: of.Protector, Endpoints: of.Endpoints, Pool: of.Pool, Keeper: keeper,
		}, problem.NewReporter(statusKind, api, w.Recorder), api, w.Clock),
		roster: newRoster(w.Clock), gone: &absence.Tracker[types.UID]{},
		seed: newSeedStore(api, controllertest.Clientset(api), controllertest.System, w.Clock), given: newGivenCache(w, w.Clock),
	}
}

// inTakaro returns the users of the domain except the root user.
func (w *world) inTakaro() []standin.User {
	domain, _ := w.Takaro.Domain(w.domainID)
	return slices.DeleteFunc(domain.Users, func(user standin.User) bool { return user.Name == "root" })
}

func (w *world) login() map[string]string {
	w.T.Helper()
	data := map[string]string{}
	for key, value := range w.Secret(testName + v1alpha1.UserSecretSuffix).Data {
		data[key] = string(value)
	}
	return data
}

// requireReady requires that everything is as specified, in the cluster and in Takaro.
func (w *world) requireReady() {
	w.T.Helper()
	user := w.Object()
	require.NotNil(w.T, user)
	require.Equal(w.T, "True AsSpecified", w.Condition(v1alpha1.ConditionReady), "%+v", user.Status)
	require.Equal(w.T, v1alpha1.UserReady, user.Status.Phase)
	require.Len(w.T, w.inTakaro(), 1, "exactly one user in Takaro")
	made := w.inTakaro()[0]
	require.Equal(w.T, made.ID, user.Status.UserID)
	require.ElementsMatch(w.T, user.Spec.Roles, made.Roles)
	require.ElementsMatch(w.T, user.Spec.Roles, user.Status.Roles)
	require.Equal(w.T, user.Spec.Name, made.Name)
	login := w.login()
	require.Equal(w.T, []string{testEmail, testEmail, w.domainID, w.Front.URL}, []string{login[keyUsername], login[keyEmail],
		login[keyDomainID], login[keyTakaroAPIURL]})
	require.True(w.T, w.Takaro.PasswordIs(testEmail, login[keyPassword]), "the login works")
}
