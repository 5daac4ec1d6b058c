// SPDX-License-Identifier: Apache-2.0

package user

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
	standin "roadstead.dev/roadstead/test/fakes/takaro"
)

// Every request to Takaro fails once in every way, and the same process continues.
func TestEveryTakaroRequestFails(t *testing.T) {
	kinds := []standin.FaultKind{standin.FaultErrorBefore, standin.FaultErrorAfter, standin.FaultCutBefore, standin.FaultCutAfter,
		standin.FaultTooMany, standin.FaultBadGateway, standin.FaultTokenRevoked}
	for _, kind := range kinds {
		t.Run(string(kind), func(t *testing.T) {
			for nth := 1; ; nth++ {
				w := newWorld(t)
				w.addUser()
				var requests atomic.Int32
				w.Through = func(out http.ResponseWriter, in *http.Request) {
					if int(requests.Add(1)) == nth {
						_, err := w.Takaro.InjectFault(standin.Fault{Kind: kind, Times: 1, RetryAfter: time.Second})
						require.NoError(w.T, err)
					}
					w.Takaro.ServeHTTP(out, in)
				}
				controller := w.controller(w.Store)
				w.Settle(controller)
				w.requireReady()
				w.Takaro.ClearFaults()
				w.Delete()
				w.Settle(controller)
				require.Nil(t, w.Object())
				require.Empty(t, w.inTakaro())
				if int(requests.Load()) < nth {
					require.Greater(t, nth, 5)
					return
				}
			}
		})
	}
}

// count returns the requests that f sends to Takaro.
func (w *world) count(f func()) (requests []string) {
	w.T.Helper()
	w.Takaro.ResetCounts()
	f()
	for _, request := range w.Takaro.Requests() {
		requests = append(requests, request.Method+" "+request.Path)
	}
	return requests
}

func TestAtRestOneListAndNoLogin(t *testing.T) {
	w := newWorld(t)
	w.addUser()
	w.Settle(w.controller(w.Store))
	before := w.Object().ResourceVersion
	anew := w.controller(w.Store)
	requests := w.count(func() {
		for range 3 {
			w.Settle(anew)
		}
	})
	assert.Equal(t, []string{"POST /token", "POST /user/search"}, requests, "after a restart")
	assert.Equal(t, before, w.Object().ResourceVersion, "nothing is written")
	w.edit(func(spec *v1alpha1.UserSpec) { spec.DeletionPolicy = v1alpha1.UserDeletionPolicyRetain })
	assert.Empty(t, w.count(func() { w.Settle(anew) }), "a change that is none for Takaro")
}

func TestSecretNameTaken(t *testing.T) {
	w := newWorld(t)
	w.Add(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: controllertest.Namespace, Name: testName + v1alpha1.UserSecretSuffix}})
	w.addUser()
	w.Settle(w.controller(w.Store))
	assert.Equal(t, "False SecretNameTaken", w.Condition(v1alpha1.ConditionReady))
	assert.Empty(t, w.inTakaro(), "nothing is made before the login can be stored")
}

func TestRootUserIsNeverTouched(t *testing.T) {
	w := newWorld(t)
	w.addUser(func(u *v1alpha1.User) { u.Spec.Email = "ROOT@" + w.domainID + ".com" })
	controller := w.controller(w.Store)
	w.Settle(controller)
	assert.Equal(t, "False EmailReserved", w.Condition(v1alpha1.ConditionReady))
	w.Delete()
	w.Settle(controller)
	require.Nil(t, w.Object())
	domain, _ := w.Takaro.Domain(w.domainID)
	assert.True(t, domain.HasRoot)
}

func TestLimitOfUsers(t *testing.T) {
	w := newWorld(t)
	w.addUser()
	w.Through = func(out http.ResponseWriter, in *http.Request) {
		if in.URL.Path == "/user" && in.Method == http.MethodPost {
			out.Header().Set("Content-Type", "application/json")
			out.WriteHeader(http.StatusBadRequest)
			_, _ = out.Write([]byte(`{"meta":{"error":{"code":"BadRequestError","message":"Max users (3) limit reached"}},"data":{}}`))
			return
		}
		w.Takaro.ServeHTTP(out, in)
	}
	controller := w.controller(w.Store)
	assert.Equal(t, 5*time.Minute, w.Once(controller).RequeueAfter)
	assert.Equal(t, "False MaxUsersReached", w.Condition(v1alpha1.ConditionReady))
	message := meta.FindStatusCondition(w.Object().Status.Conditions, v1alpha1.ConditionReady).Message
	assert.Contains(t, message, "Max users (3)")
	assert.Contains(t, message, "maxUsers of the Domain")
	w.Through = w.Takaro.ServeHTTP
	w.Settle(controller)
	w.requireReady()
}

func TestMaintenance(t *testing.T) {
	w := newWorld(t)
	w.addUser()
	controller := w.controller(w.Store)
	w.Settle(controller)
	w.editDomain(func(d *v1alpha1.Domain) { d.Spec.MaintenanceMode = true })
	before := w.Object()
	assert.Empty(t, w.count(func() { w.Settle(controller) }))
	assert.Equal(t, before, w.Object(), "a Ready User stays as it is")
	w.edit(func(spec *v1alpha1.UserSpec) { spec.Roles = []string{"Admin"} })
	w.Once(controller)
	assert.Equal(t, "False DomainInMaintenance", w.Condition(v1alpha1.ConditionReady))
	assert.Equal(t, v1alpha1.UserPending, w.Object().Status.Phase)
	w.editDomain(func(d *v1alpha1.Domain) { d.Spec.MaintenanceMode = false })
	w.Settle(controller)
	w.requireReady()
}

// Another client puts the domain into maintenance: only the roles are unknown then.
func TestMaintenanceByOthers(t *testing.T) {
	w := newWorld(t)
	w.addUser()
	w.Through = func(out http.ResponseWriter, in *http.Request) {
		if in.URL.Path == "/role/search" {
			out.Header().Set("Content-Type", "application/json")
			out.WriteHeader(http.StatusBadRequest)
			_, _ = out.Write([]byte(`{"meta":{"error":{"code":"BadRequestError","message":"Domain is in maintenance mode. Please try ` +
				`again later."}},"data":{}}`))
			return
		}
		w.Takaro.ServeHTTP(out, in)
	}
	controller := w.controller(w.Store)
	assert.Equal(t, maintenanceWait, w.Once(controller).RequeueAfter)
	assert.Equal(t, "False DomainInMaintenance", w.Condition(v1alpha1.ConditionReady))
	assert.Equal(t, "Unknown DomainInMaintenance", w.Condition(v1alpha1.ConditionRolesAssigned))
	assert.NotEmpty(t, w.login()[keyPassword], "the login works already")
	w.Through = w.Takaro.ServeHTTP
	w.Settle(controller)
	w.requireReady()
}

func TestRolesOfOthersAreLeftAlone(t *testing.T) {
	w := newWorld(t)
	w.addUser(func(u *v1alpha1.User) { u.Spec.Roles = []string{"Admin"} })
	controller := w.controller(w.Store)
	w.Settle(controller)
	w.assignBehindOurBack("Moderator")
	w.edit(func(spec *v1alpha1.UserSpec) { spec.Roles = nil })
	w.Settle(w.controller(w.Store))
	assert.Equal(t, []string{"Moderator"}, w.inTakaro()[0].Roles)
	assert.Empty(t, w.Object().Status.Roles)
}

func TestDeletion(t *testing.T) {
	t.Run("retained", func(t *testing.T) {
		w := newWorld(t)
		w.addUser(func(u *v1alpha1.User) { u.Spec.DeletionPolicy = v1alpha1.UserDeletionPolicyRetain })
		controller := w.controller(w.Store)
		w.Settle(controller)
		w.Delete()
		assert.Empty(t, w.count(func() { w.Settle(controller) }))
		assert.Nil(t, w.Object())
		assert.Len(t, w.inTakaro(), 1)
		assert.Contains(t, strings.Join(w.Events(), "\n"), "LeftInTakaro")
	})
	t.Run("with its domain", func(t *testing.T) {
		w := newWorld(t)
		w.addUser()
		controller := w.controller(w.Store)
		w.Settle(controller)
		require.NoError(t, w.Store.Delete(t.Context(), &v1alpha1.Domain{ObjectMeta: metav1.ObjectMeta{Namespace: controllertest.Namespace,
			Name: testDomain}}))
		w.Once(controller)
		assert.Equal(t, "False DomainDeleting", w.Condition(v1alpha1.ConditionReady))
		w.Delete()
		assert.Empty(t, w.count(func() { w.Settle(controller) }), "the domain takes it along")
		assert.Nil(t, w.Object())
	})
	t.Run("Takaro down", func(t *testing.T) {
		w := newWorld(t)
		w.addUser()
		controller := w.controller(w.Store)
		w.Settle(controller)
		w.Through = func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
		w.Delete()
		_, err := controller.Reconcile(t.Context(), w.Request())
		require.Error(t, err)
		assert.Equal(t, "False DeletionBlocked", w.Condition(v1alpha1.ConditionReady))
		assert.Equal(t, v1alpha1.UserDeleting, w.Object().Status.Phase)
		message := meta.FindStatusCondition(w.Object().Status.Conditions, v1alpha1.ConditionReady).Message
		assert.Contains(t, message, `kubectl patch users.takaro.roadstead.dev ann -n team --type=merge -p '{"spec":{"deletionPolicy":"Retain"}}'`)
		w.edit(func(spec *v1alpha1.UserSpec) { spec.DeletionPolicy = v1alpha1.UserDeletionPolicyRetain })
		w.Settle(controller)
		assert.Nil(t, w.Object())
	})
}

func TestDriftIsSeenAndPutBack(t *testing.T) {
	w := newWorld(t)
	w.addUser(func(u *v1alpha1.User) { u.Spec.DashboardUser = ptr.To(false) })
	controller := w.controller(w.Store)
	w.Settle(controller)
	controller.QPS = 2000
	compare := &watch{reconciler: controller}
	differs := func() bool {
		places, err := compare.groups(t.Context())
		require.NoError(t, err)
		require.Len(t, places, 1)
		for at, group := range places {
			takaroClient, err := w.connectAs(controller)
			require.NoError(t, err)
			list, err := controller.roster.refresh(t.Context(), at, takaroClient)
			require.NoError(t, err)
			return compare.differs(list, group.Objects[0].domain, group.Objects[0].User)
		}
		return false
	}
	assert.False(t, differs())
	w.removeBehindOurBack()
	w.Clock.Step(time.Minute)
	assert.True(t, differs())
	w.Settle(controller)
	w.requireReady()
	assert.Contains(t, strings.Join(w.Events(), "\n"), "UserVanished")
	assert.False(t, differs())
}
