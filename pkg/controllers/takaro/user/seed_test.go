// SPDX-License-Identifier: Apache-2.0

package user

import (
	"bytes"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
	"roadstead.dev/roadstead/pkg/util/keeper"
)

// seedSecret returns the stored Secret of the seed, or nil if it does not exist.
func (w *world) seedSecret() *corev1.Secret {
	w.T.Helper()
	found := &corev1.Secret{}
	if w.Store.Get(w.T.Context(), types.NamespacedName{Namespace: controllertest.System, Name: SeedSecretName}, found) != nil {
		return nil
	}
	return found
}

func (w *world) loseSeed() {
	w.T.Helper()
	require.NoError(w.T, w.Store.Delete(w.T.Context(), w.seedSecret()))
}

func (w *world) replaceSeed(seed []byte) {
	w.T.Helper()
	secret := w.seedSecret()
	secret.Data[SeedKey] = seed
	require.NoError(w.T, w.Store.Update(w.T.Context(), secret))
}

var otherSeed = bytes.Repeat([]byte("other!!!"), 4)

func TestSeed_RestoredFromMemory(t *testing.T) {
	for name, damage := range map[string]func(*world){
		"deleted":                      (*world).loseSeed,
		"replaced by another one":      func(w *world) { w.replaceSeed(otherSeed) },
		"replaced by one too short":    func(w *world) { w.replaceSeed([]byte("short")) },
		"deleted after Takaro forgot":  func(w *world) { w.removeBehindOurBack(); w.loseSeed() },
		"replaced after Takaro forgot": func(w *world) { w.removeBehindOurBack(); w.replaceSeed(otherSeed) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.addUser()
			controller := w.controller(w.Store)
			w.Settle(controller)
			seed, password := w.seedSecret().Data, w.login()[keyPassword]
			damage(w)
			w.Settle(controller)
			require.Equal(t, seed, w.seedSecret().Data)
			w.Delete()
			w.Settle(controller)
			w.addUser()
			w.Settle(controller)
			w.requireReady()
			require.Equal(t, password, w.login()[keyPassword], "the password that Takaro keeps")
		})
	}
}

// A process that does not know the seed generates none while a User depends on the lost one. A
// login that works stays in use.
func TestSeed_LostWhileUsersDependOnIt(t *testing.T) {
	for name, damage := range map[string]func(*world){
		"deleted":  (*world).loseSeed,
		"replaced": func(w *world) { w.replaceSeed(otherSeed) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.addUser()
			w.Settle(w.controller(w.Store))
			seed, password := w.seedSecret(), w.login()[keyPassword]
			damage(w)
			controller := w.controller(w.Store)
			w.Settle(controller)
			w.requireReady()
			require.Equal(t, password, w.login()[keyPassword])
			require.NoError(t, w.Store.Delete(t.Context(), w.Secret(testName+v1alpha1.UserSecretSuffix)))
			w.Once(controller)
			require.Equal(t, "False SeedUnusable", w.Condition(v1alpha1.ConditionReady))
			message := w.Message(v1alpha1.ConditionReady)
			require.Contains(t, message, fingerprint(seed.Data[SeedKey]), "which seed to restore")
			require.Contains(t, message, "Restore the Secret from a backup.")
			if secret := w.seedSecret(); secret != nil {
				w.replaceSeed(seed.Data[SeedKey])
			} else {
				w.Add(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: seed.Namespace, Name: seed.Name}, Data: seed.Data})
			}
			w.Settle(controller)
			w.requireReady()
			require.Equal(t, password, w.login()[keyPassword])
		})
	}
}

// Without the seed, the Secret contains the only copy of the password.
func TestSeed_LostAndLoginRefused(t *testing.T) {
	w := newWorld(t)
	w.addUser()
	w.Settle(w.controller(w.Store))
	password := w.login()[keyPassword]
	w.loseSeed()
	w.Through = func(out http.ResponseWriter, in *http.Request) {
		if in.URL.Path == "/login" {
			out.Header().Set("Content-Type", "application/json")
			out.WriteHeader(http.StatusUnauthorized)
			_, _ = out.Write([]byte(`{"meta":{"error":{"code":"UnauthorizedError","message":"no"}},"data":{}}`))
			return
		}
		w.Takaro.ServeHTTP(out, in)
	}
	w.Settle(w.controller(w.Store))
	require.Equal(t, "False PasswordUnknown", w.Condition(v1alpha1.ConditionReady))
	require.Equal(t, password, w.login()[keyPassword])
	w.Through = w.Takaro.ServeHTTP
	w.Settle(w.controller(w.Store))
	w.requireReady()
}

func TestSeed_AcceptAnotherOne(t *testing.T) {
	w := newWorld(t)
	w.addUser()
	w.Settle(w.controller(w.Store))
	password := w.login()[keyPassword]
	secret := w.seedSecret()
	secret.Data[SeedKey] = otherSeed
	secret.Annotations = map[string]string{keeper.AcceptAnnotation: fingerprint(otherSeed)}
	require.NoError(t, w.Store.Update(t.Context(), secret))
	w.Settle(w.controller(w.Store))
	w.requireReady()
	require.Equal(t, password, w.login()[keyPassword], "the one that works is kept")
	require.Empty(t, w.Object().Status.Ownership.Facts[factSeed], "it depends on no seed any more")
	require.Equal(t, otherSeed, w.seedSecret().Data[SeedKey])
}

func TestSeed_NotNeeded(t *testing.T) {
	w := newWorld(t)
	w.given = "given-password"
	w.addUser()
	w.Settle(w.controller(w.Store))
	require.Empty(t, w.Object().Status.Ownership.Facts[factSeed])
	w.loseSeed()
	w.Settle(w.controller(w.Store))
	w.requireReady()
	require.NotNil(t, w.seedSecret(), "nothing depends on the former one")
}

func TestSeed_Dependents(t *testing.T) {
	for name, c := range map[string]struct {
		user v1alpha1.User
		want bool
	}{
		"new":                             {v1alpha1.User{}, false},
		"generated in an earlier release": {v1alpha1.User{Status: v1alpha1.UserStatus{UserID: "1"}}, true},
		"from a Secret in an earlier release": {v1alpha1.User{Spec: v1alpha1.UserSpec{PasswordSecretRef: &v1alpha1.SecretKeyReference{}},
			Status: v1alpha1.UserStatus{UserID: "1"}}, false},
	} {
		w := newWorld(t)
		c.user.Namespace, c.user.Name = controllertest.Namespace, testName
		w.AddStored(&c.user)
		exist, err := seedUsers{cached: w.Store}.exist(t.Context())
		require.NoError(t, err)
		require.Equal(t, c.want, exist, name)
	}
}
