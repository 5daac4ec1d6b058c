// SPDX-License-Identifier: Apache-2.0

//go:build integration

package users

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

// TestDryRun_DoesNotConfirmPassword sends the same dry run with the stored password and with
// another one, by each request type. The responses must be equal.
func TestDryRun_DoesNotConfirmPassword(t *testing.T) {
	tm := newTeam(t)
	right, wrong := password(), password()
	code, _ := request(t, tm.Config, http.MethodPost, tm.path("?fieldManager=maker"), asJSON, asJSON, userJSON("guessed", right))
	require.Equal(t, http.StatusCreated, code)
	stored := tm.settled("guessed")
	// Times in managedFields have a resolution of one second: those of a dry run must be able to
	// differ from the stored ones.
	tm.await("the next second", func() error {
		if time.Since(stored.CreationTimestamp.Time) < 2*time.Second {
			return fmt.Errorf("it is too early")
		}
		return nil
	})
	whole := func(guess string) string {
		object := stored.DeepCopy()
		object.TypeMeta = metav1.TypeMeta{APIVersion: v1alpha1.SchemeGroupVersion.String(), Kind: "User"}
		object.Spec.Password = &guess
		text, err := json.Marshal(object)
		require.NoError(t, err)
		return string(text)
	}
	for name, c := range map[string]struct {
		method, contentType, query string
		body                       func(guess string) string
	}{
		"update":      {http.MethodPut, asJSON, "", whole},
		"merge patch": {http.MethodPatch, mergePatch, "", func(guess string) string { return `{"spec":{"password":"` + guess + `"}}` }},
		"JSON patch": {http.MethodPatch, jsonPatch, "",
			func(guess string) string { return `[{"op":"add","path":"/spec/password","value":"` + guess + `"}]` }},
		"apply": {http.MethodPatch, applyPatch, "&fieldManager=guesser&force=true", func(guess string) string {
			return strings.Replace(userJSON("guessed", guess), `,"finalizers":["test.example/hold"]`, "", 1)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			answer := func(guess string) string {
				code, text := request(t, tm.Config, c.method, tm.path("/guessed?dryRun=All"+c.query), c.contentType, asJSON, c.body(guess))
				require.Equal(t, http.StatusOK, code, "%s", text)
				user := &v1alpha1.User{}
				require.NoError(t, json.Unmarshal(text, user))
				require.Greater(t, user.Generation, stored.Generation, "every supplied password counts as a change")
				// Two requests may be sent in different seconds. The test only compares whether a
				// time is the stored one.
				for i, entry := range user.ManagedFields {
					if entry.Time.Sub(stored.CreationTimestamp.Time) > time.Second {
						user.ManagedFields[i].Time = &metav1.Time{}
					}
				}
				text, err := json.Marshal(user)
				require.NoError(t, err)
				return string(text)
			}
			require.Equal(t, answer(wrong), answer(right))
		})
	}
}

// TestKubectl_DiffAndApplyOfPassword verifies the output of kubectl: a diff does not reveal whether
// a password would change, and a manifest that is applied twice changes nothing.
func TestKubectl_DiffAndApplyOfPassword(t *testing.T) {
	tm := newTeam(t)
	right, wrong := password(), password()
	manifest := func(password string) string {
		return userManifest("diffed", "nowhere", "diffed@example.com", "password: "+password)
	}
	for _, flags := range [][]string{nil, {"--server-side"}} {
		tm.kubectl(manifest(right), append([]string{"apply", "-f", "-"}, flags...)...)
		before := tm.settled("diffed")
		tm.kubectl(manifest(right), append([]string{"apply", "-f", "-"}, flags...)...)
		after := tm.settled("diffed")
		require.Equal(t, before.ResourceVersion, after.ResourceVersion, "%v: the second apply changes nothing", flags)

		diff := func(password string) string {
			text := tm.kubectlFails(manifest(password), append([]string{"diff", "-f", "-"}, flags...)...)
			requireHidden(t, "kubectl diff", []byte(text))
			return strings.Join(regexp.MustCompile(`(?m)^[-+] .*$`).FindAllString(text, -1), "\n")
		}
		require.Equal(t, diff(wrong), diff(right), "%v", flags)
		require.Contains(t, diff(right), fmt.Sprintf("generation: %d", after.Generation+1))
	}
}

// settled returns a User once the controller has no pending writes.
func (tm *team) settled(name string) *v1alpha1.User {
	tm.T.Helper()
	var user *v1alpha1.User
	tm.await("status of User "+name, func() (err error) {
		user, err = tm.Users().Get(tm.T.Context(), name, metav1.GetOptions{})
		if err == nil && (user.Status.ObservedGeneration != user.Generation || len(user.Status.Conditions) == 0 || len(user.Finalizers) == 0) {
			err = fmt.Errorf("status is of generation %d of %d", user.Status.ObservedGeneration, user.Generation)
		}
		return err
	})
	return user
}
