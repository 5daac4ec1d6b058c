// SPDX-License-Identifier: Apache-2.0

package keeper

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
)

func TestFingerprint_Stable(t *testing.T) {
	// printf 'name\0value' | sha256sum
	assert.Equal(t, "e2bbcb2b5b5e19f4", Fingerprint("name", []byte("value")))
}

func TestGet_GeneratesOnceWithoutDependents(t *testing.T) {
	w := newWorld(t, t.Context())
	w.dependents = none
	first, err := w.keeper().Get(w.ctx)
	require.NoError(t, err)
	assert.Equal(t, "generated1", words(first))
	assert.Equal(t, prints("generated1"), w.record.Fingerprints(secretName))
	w.dependents = some
	second, err := w.keeper().Get(w.ctx)
	require.NoError(t, err)
	assert.Equal(t, first, second)
	assert.Equal(t, 1, w.generated)
	assert.Empty(t, w.events())
}

func TestGet_SetsLabelsOfASecretThatIsCreated(t *testing.T) {
	w := newWorld(t, t.Context())
	w.dependents, w.spec.Labels = none, map[string]string{"app": "roadstead"}
	_, err := w.keeper().Get(t.Context())
	require.NoError(t, err)
	secret, err := w.client.CoreV1().Secrets(namespace).Get(t.Context(), secretName, metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, w.spec.Labels, secret.Labels)
}

func TestGet_TakesTheValuesOfAnotherReplicaThatGeneratedFirst(t *testing.T) {
	w := newWorld(t, t.Context())
	w.dependents = none
	w.client.PrependReactor("create", "secrets", func(clienttesting.Action) (bool, runtime.Object, error) {
		w.overtake("other")
		return true, nil, apierrors.NewAlreadyExists(corev1.Resource("secrets"), secretName)
	})
	got, err := w.keeper().Get(w.ctx)
	require.NoError(t, err)
	assert.Equal(t, "other", words(got))
	assert.Equal(t, prints("other"), w.record.Fingerprints(secretName))
}

func TestGet_Refused(t *testing.T) {
	for name, tc := range map[string]struct {
		secret     string
		recorded   []string
		dependents dependents
		reason     string
		message    []string
	}{
		"absent": {"", prints("a"), some, ReasonMissing,
			[]string{`Secret "system/once" not found`, prints("a")[0], "backup", "The objects are lost."}},
		"absent, nothing recorded":  {"", nil, some, ReasonMissing, []string{"not found"}},
		"absent, unknown":           {"", nil, unknown, ReasonMissing, []string{"could not be determined: the store is unavailable"}},
		"replaced":                  {"b", prints("a"), some, ReasonReplaced, []string{"lacks values", prints("a")[0]}},
		"replaced, unknown":         {"b", prints("a"), unknown, ReasonReplaced, []string{"could not be determined"}},
		"invalid":                   {garbage, prints("a"), some, ReasonReplaced, []string{"is invalid: it is garbage"}},
		"without values":            {" ", nil, none, ReasonReplaced, []string{"is invalid: it has no value"}},
		"one of two and one of new": {"a c", prints("a", "b"), some, ReasonReplaced, prints("b")},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, t.Context())
			w.dependents = tc.dependents
			w.record.prints[secretName] = tc.recorded
			if tc.secret != "" {
				w.put(tc.secret)
			}
			before := w.secret()
			_, err := w.keeper().Get(w.ctx)
			var refused *RefusedError
			require.ErrorAs(t, err, &refused)
			assert.Equal(t, tc.reason, refused.Reason)
			for _, part := range tc.message {
				assert.Contains(t, refused.Message, part)
			}
			assert.Equal(t, before, w.secret())
			assert.Equal(t, tc.recorded, w.record.Fingerprints(secretName))
			assert.Zero(t, w.generated)
		})
	}
}

func TestGet_ForgetsLostValuesWithoutDependents(t *testing.T) {
	w := newWorld(t, t.Context())
	w.dependents, w.record.prints[secretName] = none, prints("lost")
	w.put("b")
	got, err := w.keeper().Get(w.ctx)
	require.NoError(t, err)
	assert.Equal(t, "b", words(got))
	assert.Equal(t, prints("b"), w.record.Fingerprints(secretName))
	w.delete()
	got, err = w.keeper().Get(w.ctx)
	require.NoError(t, err)
	assert.Equal(t, "generated1", words(got))
	assert.Equal(t, prints("generated1"), w.record.Fingerprints(secretName))
	assert.Equal(t, []string{EventReplaced}, w.events())
}

func TestGet_RestoresFromMemory(t *testing.T) {
	for name, tc := range map[string]struct {
		damage func(*world)
		want   string
	}{
		"deleted":        {(*world).delete, "a b"},
		"replaced":       {func(w *world) { w.put("c") }, "c a b"},
		"partly removed": {func(w *world) { w.put("b") }, "b a"},
		"invalid":        {func(w *world) { w.put(garbage) }, "a b"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, t.Context())
			w.put("a b")
			k := w.started()
			tc.damage(w)
			w.dependents = unknown
			before := restorations(t)
			got, err := k.Get(w.ctx)
			require.NoError(t, err)
			assert.InDelta(t, before+1, restorations(t), 0)
			assert.Equal(t, tc.want, words(got))
			assert.Equal(t, tc.want, w.secret())
			assert.Equal(t, prints(strings.Fields(tc.want)...), w.record.Fingerprints(secretName))
			assert.Equal(t, []string{EventRestored}, w.events())
		})
	}
}

func TestGet_RestoresWhatItCanAndRefusesTheRest(t *testing.T) {
	w := newWorld(t, t.Context())
	w.put("a")
	k := w.started()
	w.record.prints[secretName] = prints("a", "elsewhere")
	w.delete()
	_, err := k.Get(w.ctx)
	var refused *RefusedError
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, ReasonReplaced, refused.Reason)
	assert.Equal(t, "a", w.secret())
}

func TestGet_EvaluatesAgainAfterAConflict(t *testing.T) {
	w := newWorld(t, t.Context())
	w.put("a")
	k := w.started()
	w.put("b")
	conflicts := 1
	w.client.PrependReactor("update", "secrets", func(clienttesting.Action) (bool, runtime.Object, error) {
		if conflicts--; conflicts < 0 {
			return false, nil, nil
		}
		w.overtake("c")
		return true, nil, apierrors.NewConflict(corev1.Resource("secrets"), secretName, errors.New("changed"))
	})
	got, err := k.Get(w.ctx)
	require.NoError(t, err)
	assert.Equal(t, "c a", words(got), "what the other writer wrote is kept")
}

func TestGet_RecordsBeforeUse(t *testing.T) {
	w := newWorld(t, t.Context())
	w.put("a")
	w.record.fail = errors.New("no right to patch")
	_, err := w.keeper().Get(w.ctx)
	require.ErrorContains(t, err, "no right to patch")
}
