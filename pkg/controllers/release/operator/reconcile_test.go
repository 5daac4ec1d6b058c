// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/test/fakes/chartrepo"
)

func discovering(what string) func(*v1alpha1.Operator) {
	return func(o *v1alpha1.Operator) { o.Spec.Chart.Discover = what }
}

func TestAnOperatorWhoseRepositoryAnswers(t *testing.T) {
	w := newWorld(t)
	w.version("1.0.0")
	w.version("1.10.0")
	r := w.controller()
	result := w.once(r)
	assert.InDelta(t, 10*time.Minute, result.RequeueAfter, float64(2*time.Minute+time.Second))
	assert.Equal(t, "True AsSpecified", w.condition(v1alpha1.ConditionReady))
	assert.Equal(t, "True RepositoryAnswers", w.condition(v1alpha1.ConditionRepositoryReachable))
	status := w.GetOperator().Status
	assert.Equal(t, v1alpha1.PhaseReady, status.Phase)
	assert.Equal(t, "1.10.0", status.LatestVersion)
	assert.Equal(t, int32(2), status.Versions)
	assert.Equal(t, int64(1), status.ObservedGeneration)
	assert.Len(t, w.Names(&v1alpha1.OperatorVersionList{}), 2, "nothing is discovered that is not asked for")

	// Other events cause no query of the repository and no write.
	resource := w.GetOperator().ResourceVersion
	for range 3 {
		w.once(r)
	}
	assert.Equal(t, 1, w.asked())
	assert.Equal(t, resource, w.GetOperator().ResourceVersion)

	w.Clock.Step(13 * time.Minute)
	w.once(r)
	assert.Equal(t, 2, w.asked(), "again when it is time")
	w.EditOperator(func(o *v1alpha1.Operator) { o.Spec.VersionHistoryLimit = ptr.To[int32](5) })
	w.once(r)
	assert.Equal(t, 3, w.asked(), "at once for a new spec")
	assert.Equal(t, int64(2), w.GetOperator().Status.ObservedGeneration)
}

func TestReadyIsUnknownWhileTheRepositoryIsAsked(t *testing.T) {
	w := newWorld(t)
	w.Repo.Fail("/index.yaml", func(out http.ResponseWriter, _ *http.Request) {
		assert.Equal(t, "Unknown Reconciling", w.condition(v1alpha1.ConditionReady))
		out.WriteHeader(http.StatusTeapot)
	})
	w.once(w.controller())
	assert.Equal(t, "False RepositoryInvalid", w.condition(v1alpha1.ConditionReady))
}

func TestWhatIsWrongWithARepository(t *testing.T) {
	login := func(kind corev1.SecretType, data map[string][]byte) func(*world) {
		return func(w *world) {
			w.EditOperator(func(o *v1alpha1.Operator) {
				o.Spec.Chart.CredentialsSecretRef = &v1alpha1.SecretReference{Namespace: "widgets", Name: "login"}
			})
			if kind != "" {
				w.Add(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "widgets", Name: "login"}, Type: kind, Data: data})
			}
		}
	}
	for _, test := range []struct {
		name    string
		spoil   func(*world)
		reason  string
		message string
		phase   v1alpha1.Phase
	}{
		{"503", func(w *world) { w.Repo.Fail("/index.yaml", chartrepo.Status(http.StatusServiceUnavailable, "s3cr3t")) },
			v1alpha1.ReasonRepositoryUnavailable, "503", v1alpha1.PhasePending},
		{"away", func(w *world) { _ = w.Repo.Close() }, v1alpha1.ReasonRepositoryUnavailable, "connect", v1alpha1.PhasePending},
		{"401", func(w *world) { w.Repo.RequireLogin("u", "p") }, v1alpha1.ReasonCredentialsRefused, "401", v1alpha1.PhaseError},
		{"404", func(w *world) { w.Repo.Fail("/index.yaml", chartrepo.Status(http.StatusNotFound, "s3cr3t")) },
			v1alpha1.ReasonRepositoryNotFound, "404", v1alpha1.PhaseError},
		{"no chart", func(w *world) { w.EditOperator(func(o *v1alpha1.Operator) { o.Spec.Chart.Name = "gadgets" }) },
			v1alpha1.ReasonChartNotFound,
			`no chart "gadgets"`, v1alpha1.PhaseError},
		{"no repository", func(w *world) { w.Repo.Fail("/index.yaml", chartrepo.Status(http.StatusOK, "<html>s3cr3t")) },
			v1alpha1.ReasonRepositoryInvalid, "not an index", v1alpha1.PhaseError},
		{"endless", func(w *world) { w.Repo.Fail("/index.yaml", chartrepo.Endless()) }, v1alpha1.ReasonChartTooLarge,
			"50 MiB", v1alpha1.PhaseError},
		{"an address", func(w *world) {
			w.EditOperator(func(o *v1alpha1.Operator) { o.Spec.Chart.Repository = "https://169.254.169.254/charts" })
		}, v1alpha1.ReasonRepositoryRefused, "link-local", v1alpha1.PhaseError},
		{"no Secret", login("", nil), v1alpha1.ReasonSecretNotFound, `Secret "login" in namespace "widgets"`, v1alpha1.PhaseError},
		{"a Secret of another type", login(corev1.SecretTypeOpaque, map[string][]byte{"username": []byte("s3cr3t")}),
			v1alpha1.ReasonSecretInvalid, "must be of type kubernetes.io/basic-auth", v1alpha1.PhaseError},
		{"an empty Secret", login(corev1.SecretTypeBasicAuth, nil), v1alpha1.ReasonSecretInvalid, "has neither the key username nor password",
			v1alpha1.PhaseError},
		{"a docker config of others", login(corev1.SecretTypeDockerConfigJson,
			map[string][]byte{".dockerconfigjson": []byte(`{"auths":{"ghcr.io":{"username":"s3cr3t"}}}`)}), v1alpha1.ReasonSecretInvalid,
			"auths has no entry for 127.0.0.1", v1alpha1.PhaseError},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			test.spoil(w)
			r := w.controller()
			w.once(r)
			for _, kind := range []string{v1alpha1.ConditionReady, v1alpha1.ConditionRepositoryReachable} {
				assert.Equal(t, "False "+test.reason, w.condition(kind))
				assert.Contains(t, w.message(kind), test.message)
				assert.NotContains(t, w.message(kind), "s3cr3t")
			}
			assert.Equal(t, test.phase, w.GetOperator().Status.Phase)
			resource, asked := w.GetOperator().ResourceVersion, w.asked()
			w.once(r)
			assert.Equal(t, resource, w.GetOperator().ResourceVersion, "the same trouble is not written again")
			assert.Equal(t, asked, w.asked(), "and not asked for before it is time")
		})
	}
}

func TestAFailingRepositoryIsAskedLessAndLess(t *testing.T) {
	w := newWorld(t)
	w.Repo.Fail("/index.yaml", chartrepo.Status(http.StatusServiceUnavailable, ""))
	r := w.controller()
	last := time.Duration(0)
	for range 12 {
		wait := w.once(r).RequeueAfter
		assert.Greater(t, wait, min(last, 3*time.Minute))
		assert.LessOrEqual(t, wait, 6*time.Minute)
		last = wait
		w.Clock.Step(wait)
	}
	assert.Equal(t, 12, w.asked())
	w.Repo.Heal()
	w.once(r)
	assert.Equal(t, "True AsSpecified", w.condition(v1alpha1.ConditionReady))
	w.Repo.Fail("/index.yaml", func(out http.ResponseWriter, _ *http.Request) {
		out.Header().Set("Retry-After", "600")
		out.WriteHeader(http.StatusTooManyRequests)
	})
	w.Clock.Step(13 * time.Minute)
	assert.Equal(t, 10*time.Minute, w.once(r).RequeueAfter, "as long as it asks for")
}

func TestAChangedSecretIsTriedAtOnce(t *testing.T) {
	w := newWorld(t, func(o *v1alpha1.Operator) {
		o.Spec.Chart.CredentialsSecretRef = &v1alpha1.SecretReference{Namespace: "widgets", Name: "login"}
	})
	w.Repo.RequireLogin("u", "right")
	r := w.controller()
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "widgets", Name: "login"}, Type: corev1.SecretTypeBasicAuth,
		Data: map[string][]byte{"username": []byte("u"), "password": []byte("wrong-one")}}
	w.Add(secret)
	w.once(r)
	assert.Equal(t, "False CredentialsRefused", w.condition(v1alpha1.ConditionReady))
	assert.NotContains(t, w.message(v1alpha1.ConditionReady), "wrong-one")
	secret.Data["password"] = []byte("right")
	require.NoError(t, w.Store.Update(t.Context(), secret))
	assert.Equal(t, []reconcile.Request{{NamespacedName: types.NamespacedName{Name: name}}}, r.operatorsOf(t.Context(), secret))
	w.once(r)
	assert.Equal(t, "True AsSpecified", w.condition(v1alpha1.ConditionReady))
}

func TestVersionsAreDiscovered(t *testing.T) {
	w := newWorld(t, discovering(">=1.1.0"))
	r := w.controller()
	w.once(r)
	assert.Equal(t, []string{"widgets-1.1.0", "widgets-2.0.0"}, w.Names(&v1alpha1.OperatorVersionList{}))
	made := &v1alpha1.OperatorVersion{}
	require.NoError(t, w.Store.Get(t.Context(), types.NamespacedName{Name: "widgets-2.0.0"}, made))
	owner := metav1.GetControllerOf(made)
	require.NotNil(t, owner)
	assert.Equal(t, types.UID("operator"), owner.UID)
	w.once(r)
	assert.Equal(t, "2.0.0", w.GetOperator().Status.LatestVersion)
	assert.Equal(t, int32(2), w.GetOperator().Status.Versions)

	w.serve("3.0.0")
	w.once(r)
	assert.Len(t, w.Names(&v1alpha1.OperatorVersionList{}), 2, "not before it is time")
	w.Clock.Step(13 * time.Minute)
	w.once(r)
	assert.Equal(t, []string{"widgets-1.1.0", "widgets-2.0.0", "widgets-3.0.0"}, w.Names(&v1alpha1.OperatorVersionList{}))
	w.EditOperator(discovering(v1alpha1.DiscoverAll))
	w.once(r)
	assert.Len(t, w.Names(&v1alpha1.OperatorVersionList{}), 4)
}

func TestADiscoveredVersionThatIsRefused(t *testing.T) {
	w := newWorld(t, discovering(v1alpha1.DiscoverAll))
	tries := 0
	w.refuse = func(version *v1alpha1.OperatorVersion) error {
		if version.Spec.Version != "1.1.0" {
			return nil
		}
		tries++
		return apierrors.NewInvalid(v1alpha1.SchemeGroupVersion.WithKind("OperatorVersion").GroupKind(), version.Name, nil)
	}
	r := w.controller()
	w.once(r)
	w.once(r)
	assert.Equal(t, 1, tries)
	assert.Len(t, w.Names(&v1alpha1.OperatorVersionList{}), 2, "the others are made")
	assert.Equal(t, "True AsSpecified", w.condition(v1alpha1.ConditionReady))

	w.refuse = func(*v1alpha1.OperatorVersion) error { return errors.New("no API server") }
	w.serve("4.0.0")
	w.Clock.Step(13 * time.Minute)
	_, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: types.NamespacedName{Name: name}})
	require.ErrorContains(t, err, "no API server")
	w.refuse = func(*v1alpha1.OperatorVersion) error { return nil }
	asked := w.asked()
	w.once(r)
	assert.Len(t, w.Names(&v1alpha1.OperatorVersionList{}), 4)
	assert.Equal(t, asked, w.asked(), "the repository is not asked again for that")
}

func TestTheOldestVersionsGo(t *testing.T) {
	w := newWorld(t, func(o *v1alpha1.Operator) { o.Spec.VersionHistoryLimit = ptr.To[int32](2) })
	for _, number := range []string{"0.1.0", "0.2.0", "0.3.0", "0.10.0", "0.11.0"} {
		w.version(number)
	}
	schema := func(version, against string, approval v1alpha1.ApprovalState) {
		made := &v1alpha1.CRDSchema{
			ObjectMeta: metav1.ObjectMeta{Name: "widgets-" + version + ".widgets.example.com", OwnerReferences: []metav1.OwnerReference{{
				APIVersion: v1alpha1.SchemeGroupVersion.String(), Kind: "OperatorVersion", Name: "widgets-" + version, UID: "x",
				Controller: ptr.To(true),
			}}},
			Spec: v1alpha1.CRDSchemaSpec{OperatorVersionRef: &v1alpha1.LocalObjectReference{Name: "widgets-" + version}},
		}
		w.Add(made)
		made.Status.Approval = approval
		if against != "" {
			made.Status.Against = &v1alpha1.CRDSchemaBaseline{Name: "widgets-" + against + ".widgets.example.com"}
		}
		require.NoError(t, w.Store.Status().Update(t.Context(), made))
	}
	schema("0.1.0", "", v1alpha1.ApprovalNotRequired)
	schema("0.2.0", "0.1.0", v1alpha1.ApprovalNotRequired)
	schema("0.3.0", "0.2.0", v1alpha1.ApprovalApproved)
	schema("0.10.0", "0.3.0", v1alpha1.ApprovalPending)
	schema("0.11.0", "0.10.0", v1alpha1.ApprovalNotRequired)
	// A CRDSchema that was created manually specifies its baseline.
	w.Add(&v1alpha1.CRDSchema{
		ObjectMeta: metav1.ObjectMeta{Name: "by-hand"},
		Spec:       v1alpha1.CRDSchemaSpec{AgainstRef: &v1alpha1.LocalObjectReference{Name: "widgets-0.1.0.widgets.example.com"}},
	})
	r := w.controller()
	w.once(r)
	assert.Equal(t, []string{"widgets-0.1.0", "widgets-0.10.0", "widgets-0.11.0", "widgets-0.3.0"}, w.Names(&v1alpha1.OperatorVersionList{}),
		"0.1.0 is named by a schema, and 0.3.0 is the baseline of a decision that is awaited")
}

func TestAnOperatorThatGoes(t *testing.T) {
	w := newWorld(t)
	r := w.controller()
	w.once(r)
	require.NoError(t, w.Store.Delete(t.Context(), w.GetOperator()))
	w.once(r)
	assert.Zero(t, r.checks.Len(), "nothing is remembered of it")
}
