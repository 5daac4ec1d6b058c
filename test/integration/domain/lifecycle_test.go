// SPDX-License-Identifier: Apache-2.0

//go:build integration

package domain

import (
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/engine/ownership"
	"roadstead.dev/roadstead/test/fakes/takaro"
	"roadstead.dev/roadstead/test/framework"
)

// usual is a Takaro with a latency of 50 ms.
var usual = takaro.Options{Latency: 50 * time.Millisecond}

func TestReadyInTwoSeconds(t *testing.T) {
	u := newTeam(t, usual)
	installed := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: env.Name("endpoint"), Labels: map[string]string{"roadstead.dev/takaro-endpoint": "true"}},
		StringData: map[string]string{"url": u.Takaro.URL(), "adminToken": u.Takaro.AdminToken() + "\n"},
	}
	_, err := env.Admin.CoreV1().Secrets("roadstead-system").Create(t.Context(), installed, metav1.CreateOptions{})
	require.NoError(t, err)
	for name, spec := range map[string]string{"by-installation": "description: none of its own", "by-own": ownLogin} {
		begin := time.Now()
		u.apply(name, spec)
		u.Kubectl(t, "wait", "--for=condition=Ready", "domains.takaro.roadstead.dev/"+name, "--timeout=60s")
		took := time.Since(begin)
		t.Logf("%s: Ready %d ms after kubectl apply was started", name, took.Milliseconds())
		assert.Less(t, took, 2*time.Second)
		u.requireWhole(name)
		assert.Contains(t, u.awaitEvent(name, "DomainCreated"), u.get(name).Status.DomainID)
	}
	made, _ := u.Takaro.Domain(u.get("by-own").Status.DomainID)
	assert.Equal(t, []int{10, 50}, []int{made.MaxGameServers, made.MaxUsers})
	assert.Contains(t, u.Kubectl(t, "describe", "domains.takaro.roadstead.dev", "by-own"), "DomainCreated")
	u.Kubectl(t, "delete", "domains.takaro.roadstead.dev", "--all", "--timeout=60s")
	assert.Empty(t, u.Takaro.Domains())
	framework.Await(t, "the owned Secrets are collected", func() error { return u.absent("by-own-root") })
}

func TestSpecIsCarriedOut(t *testing.T) {
	t.Parallel()
	u := newTeam(t, takaro.Options{Latency: 300 * time.Millisecond})
	u.apply("arena", ownLogin)
	u.requireWhole("arena")
	for patch, want := range map[string]func(takaro.Domain) bool{
		`{"name":"renamed"}`:              func(d takaro.Domain) bool { return d.Name == "renamed" },
		`{"domainLimits":{"maxUsers":7}}`: func(d takaro.Domain) bool { return d.MaxUsers == 7 },
		`{"maintenanceMode":true}`:        func(d takaro.Domain) bool { return d.State == "MAINTENANCE" },
	} {
		u.patch("arena", patch)
		// The command must not return because of the previous Ready condition.
		u.Kubectl(t, "wait", "--for=condition=Ready", "domains.takaro.roadstead.dev/arena", "--timeout=60s")
		assert.True(t, want(u.Takaro.Domains()[0]), "%s: %+v", patch, u.Takaro.Domains()[0])
	}
	for patch, state := range map[string]string{`{"maintenanceMode":false,"disabled":true}`: "DISABLED",
		`{"disabled":false,"maintenanceMode":false}`: "ACTIVE"} {
		u.patch("arena", patch)
		u.awaitReady("arena")
		assert.Equal(t, state, u.Takaro.Domains()[0].State)
	}
	assert.Equal(t, int32(7), *u.get("arena").Status.ObservedLimits.MaxUsers)
}

// asAdmin changes an object in Takaro without Roadstead.
func (u *team) asAdmin(method, path, body string) {
	u.T.Helper()
	request, err := http.NewRequestWithContext(u.T.Context(), method, u.Takaro.URL()+path, strings.NewReader(body))
	require.NoError(u.T, err)
	request.Header.Set("X-Takaro-Admin-Token", u.Takaro.AdminToken())
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	require.NoError(u.T, err)
	require.NoError(u.T, response.Body.Close())
	require.Equal(u.T, http.StatusOK, response.StatusCode)
}

func TestDriftIsCorrected(t *testing.T) {
	t.Parallel()
	u := newTeam(t, takaro.Options{})
	u.apply("arena", ownLogin)
	first := u.requireWhole("arena")
	u.asAdmin(http.MethodPut, "/domain/"+first.ID, `{"name":"drifted","maxUsers":1,"externalReference":null}`)
	framework.Await(t, "the drift is put back", func() error {
		now, _ := u.Takaro.Domain(first.ID)
		return framework.Unless(now.Name == "arena" && now.MaxUsers == 50 && now.ExternalReference == first.ExternalReference, "%+v", now)
	})
	assert.Contains(t, u.awaitEvent("arena", "DriftCorrected"), "name, externalReference, maxUsers")
}

// createdAnew is a part of TestSituations.
func createdAnew(t *testing.T) {
	u := newTeam(t, takaro.Options{})
	u.apply("arena", ownLogin)
	first := u.requireWhole("arena")
	password := string(u.secret("arena-root").Data["password"])
	require.True(t, u.Takaro.RemoveDomain(first.ID))
	u.await("arena", v1alpha1.ConditionReady, "False Vanished")
	assert.Empty(t, u.Takaro.Domains(), "it is not created anew before it was missing for a minute")
	framework.AwaitFor(t, 3*ownership.VanishedWindow, "it is created anew", func() error {
		return framework.Unless(u.get("arena").Status.DomainID != first.ID && u.get("arena").Status.DomainID != "", "still the old one")
	})
	assert.NotEqual(t, first.ID, u.requireWhole("arena").ID)
	assert.Contains(t, u.awaitEvent("arena", "DomainVanished"), first.ID)
	assert.Equal(t, password, string(u.secret("arena-root").Data["password."+first.ID]), "the former login is kept")
}

func TestDeletedSecrets(t *testing.T) {
	t.Parallel()
	u := newTeam(t, takaro.Options{})
	u.apply("arena", ownLogin)
	u.requireWhole("arena")
	before := u.secret("arena-registration-token")
	u.Kubectl(t, "delete", "secret", "arena-registration-token")
	framework.Await(t, "the token is there again", func() error {
		now, err := env.Admin.CoreV1().Secrets(u.Namespace).Get(t.Context(), before.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		return framework.Unless(now.UID != before.UID && string(now.Data["token"]) == string(before.Data["token"]), "%v", now.UID)
	})
	u.Kubectl(t, "delete", "secret", "arena-root")
	domain := u.await("arena", v1alpha1.ConditionRootCredentials, "False RootPasswordLost")
	assert.Nil(t, domain.Status.RootCredentialsSecretRef)
	assert.Contains(t, message(domain, v1alpha1.ConditionRootCredentials), "delete this object and create it again")
	u.awaitReady("arena") // it is not a part of Ready
}

func TestExampleIsApplied(t *testing.T) {
	t.Parallel()
	u := newTeam(t, takaro.Options{})
	text, err := os.ReadFile("../../../artifacts/examples/takaro/domain.yaml")
	require.NoError(t, err)
	filled := strings.NewReplacer("replace-me", u.Takaro.AdminToken(), "https://api.takaro.example", u.Takaro.URL()).Replace(string(text))
	require.NotEqual(t, string(text), filled)
	admin := env.Cluster.KubectlAs(env.Cluster.Kubeconfig())
	_, problems, err := admin.WithStdin(strings.NewReader(filled)).Run(t.Context(), "apply", "-f", "-")
	require.NoError(t, err, problems)
	_, _, err = admin.Run(t.Context(), "wait", "--for=condition=Ready", "domain.takaro.roadstead.dev/my-test-domain", "-n",
		"takaro-example", "--timeout=60s")
	require.NoError(t, err)
	require.Len(t, u.Takaro.Domains(), 1)
	assert.Equal(t, []int{5, 20}, []int{u.Takaro.Domains()[0].MaxGameServers, u.Takaro.Domains()[0].MaxUsers})
	_, _, err = admin.WithStdin(strings.NewReader(filled)).Run(t.Context(), "delete", "-f", "-", "--timeout=90s")
	require.NoError(t, err)
	assert.Empty(t, u.Takaro.Domains())
}

func TestHealthAndMetrics(t *testing.T) {
	u := newTeam(t, takaro.Options{})
	base := "http://" + env.Roadstead.Controller().Address()
	host := strings.TrimPrefix(u.Takaro.URL(), "http://")
	// Another simulated Takaro may have used the same port before.
	creates := `roadstead_takaro_requests_total{code="200",endpoint="` + host + `",method="POST",path="/domain"} `
	before := sample(t, base, creates)
	u.apply("arena", ownLogin)
	u.requireWhole("arena")
	assert.Equal(t, before+2, sample(t, base, creates), "the domain and the anchor are each created once")
	for _, path := range []string{"/healthz", "/readyz"} {
		assert.Equal(t, "ok", strings.TrimSpace(fetch(t, base+path)))
	}
	metrics := strings.Split(fetch(t, base+"/metrics"), "\n")
	for _, start := range []string{
		`roadstead_reconcile_total{kind="Domain",result="done"}`,
		`roadstead_reconcile_duration_seconds_count{kind="Domain"}`,
		`roadstead_takaro_request_duration_seconds_count{`,
		`roadstead_takaro_objects_created_total{kind="Domain"}`,
		`roadstead_takaro_objects_deleted_total{kind="Domain"}`,
		`roadstead_objects{kind="Domain",phase="Ready"} `,
	} {
		assert.True(t, slices.ContainsFunc(metrics, func(line string) bool { return strings.HasPrefix(line, start) }), "no metric %s", start)
	}
}

// sample returns the value of the metric whose line starts with start, or 0 if the metric does not
// exist yet.
func sample(t *testing.T, base, start string) int {
	t.Helper()
	for line := range strings.Lines(fetch(t, base+"/metrics")) {
		if value, found := strings.CutPrefix(strings.TrimSpace(line), start); found {
			count, err := strconv.Atoi(value)
			require.NoError(t, err)
			return count
		}
	}
	return 0
}
