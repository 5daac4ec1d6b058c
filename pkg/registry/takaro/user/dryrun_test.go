// SPDX-License-Identifier: Apache-2.0

package user

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"

	"roadstead.dev/roadstead/pkg/apis/takaro"
	"roadstead.dev/roadstead/pkg/apis/writeonly"
)

const storedPassword = "correct-horse"

// update sends an update that is based on the object as a client sees it.
func (s *store) update(t require.TestingT, dryRun bool, change func(*takaro.User)) (runtime.Object, error) {
	options := &metav1.UpdateOptions{}
	if dryRun {
		options.DryRun = []string{metav1.DryRunAll}
	}
	info := rest.DefaultUpdatedObjectInfo(nil, func(_ context.Context, _, old runtime.Object) (runtime.Object, error) {
		user := old.DeepCopyObject().(*takaro.User)
		require.Nil(t, user.Spec.Password, "a change is made to an object without the stored value")
		change(user)
		return user, nil
	})
	answer, _, err := s.Update(s.ctx(), "eve", info, rest.ValidateAllObjectFunc, rest.ValidateAllObjectUpdateFunc, false, options)
	return answer, err
}

// updated is like update, and requires success.
func (s *store) updated(t require.TestingT, dryRun bool, change func(*takaro.User)) *takaro.User {
	answer, err := s.update(t, dryRun, change)
	require.NoError(t, err)
	return answer.(*takaro.User)
}

func (s *store) withPassword() *takaro.User {
	s.Helper()
	user := ann(giving(storedPassword), func(u *takaro.User) { u.Name = "eve" })
	_, err := s.Create(s.ctx(), user, rest.ValidateAllObjectFunc, &metav1.CreateOptions{})
	require.NoError(s, err)
	// The first update stores the defaults, which the object of the test does not have.
	return s.updated(s, false, func(*takaro.User) {})
}

func giving(password string) func(*takaro.User) {
	return func(u *takaro.User) { u.Spec.Password = ptr.To(writeonly.String(password)) }
}

// TestDryRun_DoesNotConfirmPassword compares the responses to a correct and a wrong guess, together
// with random other changes. Only the guess itself, which no client can read, may differ.
func TestDryRun_DoesNotConfirmPassword(t *testing.T) {
	s := newStore(t)
	s.withPassword()
	rapid.Check(t, func(t *rapid.T) {
		label, dashboard := rapid.StringMatching(`[a-z]{0,3}`).Draw(t, "label"), rapid.Bool().Draw(t, "dashboardUser")
		wrong := rapid.StringMatching(`[ -~]{8,50}`).Filter(func(guess string) bool { return guess != storedPassword }).Draw(t, "guess")
		answer := func(guess string) *takaro.User {
			user := s.updated(t, true, func(u *takaro.User) {
				if label != "" {
					u.Labels = map[string]string{"label": label}
				}
				u.Spec.DashboardUser = &dashboard
				giving(guess)(u)
			})
			user.Spec.Password = nil
			return user
		}
		require.Equal(t, answer(wrong), answer(storedPassword))
	})
}

func TestUpdate_SuppliedPassword(t *testing.T) {
	s := newStore(t)
	for name, c := range map[string]struct {
		dryRun  bool
		change  func(*takaro.User)
		newer   bool
		remains string
	}{
		"dry run, nothing":          {dryRun: true, change: func(*takaro.User) {}, remains: storedPassword},
		"dry run, the stored value": {dryRun: true, change: giving(storedPassword), newer: true, remains: storedPassword},
		"dry run, another value":    {dryRun: true, change: giving("another-one"), newer: true, remains: "another-one"},
		"nothing":                   {change: func(*takaro.User) {}, remains: storedPassword},
		"the stored value":          {change: giving(storedPassword), remains: storedPassword},
		"another value":             {change: giving("another-one"), newer: true, remains: "another-one"},
		"another source": {change: func(u *takaro.User) {
			u.Spec.PasswordSecretRef = &takaro.SecretKeyReference{Name: "mine", Key: "password"}
		}, newer: true},
	} {
		t.Run(name, func(t *testing.T) {
			before := s.withPassword()
			defer s.delete("eve")
			user := s.updated(t, c.dryRun, c.change)
			require.Equal(t, c.newer, user.Generation > before.Generation)
			require.Equal(t, c.remains, string(ptr.Deref(user.Spec.Password, "")))
			if !c.newer {
				require.Equal(t, before.ResourceVersion, user.ResourceVersion, "nothing was written")
			}
		})
	}
}

// TestRefusedUpdate_DoesNotConfirmPassword sends updates that are refused for another reason. A
// refused update keeps the stored value, so its error must not depend on whether a guess is
// correct.
func TestRefusedUpdate_DoesNotConfirmPassword(t *testing.T) {
	s := newStore(t)
	s.withPassword()
	for name, change := range map[string]func(*takaro.User){
		"another source": func(u *takaro.User) {
			u.Spec.PasswordSecretRef = &takaro.SecretKeyReference{Name: "mine", Key: "password"}
		},
		"an invalid field":     func(u *takaro.User) { u.Spec.Roles = []string{"x"} },
		"an immutable field":   func(u *takaro.User) { u.Spec.Email = "other@example.com" },
		"an outdated revision": func(u *takaro.User) { u.ResourceVersion = "1" },
		"another object":       func(u *takaro.User) { u.UID = "other" },
	} {
		for _, dryRun := range []bool{false, true} {
			refusal := func(guess string) error {
				_, err := s.update(t, dryRun, func(u *takaro.User) {
					giving(guess)(u)
					change(u)
				})
				return err
			}
			wrong := refusal("wrong-guess")
			require.Error(t, wrong, name)
			require.Equal(t, wrong, refusal(storedPassword), name)
		}
	}
	require.Equal(t, storedPassword, string(*s.updated(t, true, func(*takaro.User) {}).Spec.Password))
}
