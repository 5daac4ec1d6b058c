// SPDX-License-Identifier: Apache-2.0

//go:build integration

package apiserver

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/test/framework"
)

func TestKubectlFindsTheKind(t *testing.T) {
	t.Parallel()
	u := editor(t)
	services, _, err := env.Cluster.Kubectl(t.Context(), "get", "apiservice", "v1alpha1.takaro.roadstead.dev", "--no-headers")
	require.NoError(t, err)
	require.Equal(t, []string{"v1alpha1.takaro.roadstead.dev", "roadstead-system/roadstead-apiserver", "True"}, strings.Fields(services)[:3])
	resources := u.Kubectl(t, "api-resources", "--api-group=takaro.roadstead.dev", "--no-headers", "-o", "wide")
	const verbs = "create,delete,deletecollection,get,list,patch,update,watch"
	require.Equal(t, []string{
		"domains", "dom", "takaro.roadstead.dev/v1alpha1", "true", "Domain", verbs, "roadstead",
		"mockservers", "mock", "takaro.roadstead.dev/v1alpha1", "true", "MockServer", verbs, "roadstead,scale",
		"takaroendpoints", "tep", "takaro.roadstead.dev/v1alpha1", "true", "TakaroEndpoint", verbs, "roadstead",
		"users", "tuser", "takaro.roadstead.dev/v1alpha1", "true", "User", verbs, "roadstead",
	}, strings.Fields(resources))
	explained := u.Kubectl(t, "explain", "domain", "--recursive")
	for _, field := range []string{
		"name\t<string>", "takaroApiUrl\t<string> -required-", "credentialsSecretRef\t<SecretKeyReference>", "maxGameServers\t<integer>",
		"deletionPolicy\t<string>\n    enum: Delete, Disable, Retain", "conditions\t<[]Condition>",
		"registrationTokenSecretRef\t<LocalObjectReference>",
		"observedGeneration\t<integer>",
	} {
		assert.Contains(t, explained, field)
	}
	require.Contains(t, u.Kubectl(t, "explain", "dom.spec.takaroApiUrl"), "without credentials,\n    query or fragment. Immutable.")
}

func TestKubectlGetAndDescribe(t *testing.T) {
	t.Parallel()
	u := statusWriter(t)
	domain := created(t, u, newDomain("shown", func(d *v1alpha1.Domain) { d.Spec.MaintenanceMode = true }))
	domain.Status = v1alpha1.DomainStatus{
		Phase: v1alpha1.DomainReady, DomainID: "an-id", ExternalReferenceID: "roadstead:x:y",
		GameServers: v1alpha1.GameServerCounts{Registered: 3, Reachable: 2}, Users: v1alpha1.UserCounts{Ready: 4, Total: 5},
		Conditions: []metav1.Condition{{Type: "Ready", Status: "True", Reason: "AsSpecified", LastTransitionTime: metav1.Now()}},
	}
	_, err := u.Domains().UpdateStatus(t.Context(), domain, metav1.UpdateOptions{})
	require.NoError(t, err)
	_, err = env.Admin.CoreV1().Events(u.Namespace).Create(t.Context(), &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{Name: "shown.1"},
		InvolvedObject: corev1.ObjectReference{APIVersion: "takaro.roadstead.dev/v1alpha1", Kind: "Domain", Namespace: u.Namespace,
			Name: "shown", UID: domain.UID},
		Type: corev1.EventTypeNormal, Reason: "Created", Message: "made in Takaro", FirstTimestamp: metav1.Now(), LastTimestamp: metav1.Now(),
	}, metav1.CreateOptions{})
	require.NoError(t, err)

	headings := []string{"NAME", "TAKARO NAME", "PHASE", "DOMAIN ID", "SERVERS", "USERS", "MAINTENANCE", "AGE"}
	require.Equal(t, headings, columns(u.Kubectl(t, "get", "domains"))[0])
	require.Equal(t, []string{"shown", "shown", "Ready", "an-id", "2/3", "4/5", "true"}, columns(u.Kubectl(t, "get", "dom"))[1][:7])
	wide := columns(u.Kubectl(t, "get", "dom", "shown", "-o", "wide"))
	require.Equal(t, []string{"ENDPOINT", "REFERENCE", "REASON", "AGE"}, wide[0][7:])
	require.Equal(t, []string{address, "roadstead:x:y", "AsSpecified"}, wide[1][7:10])
	all, _, err := env.Cluster.Kubectl(t.Context(), "get", "roadstead", "-A")
	require.NoError(t, err)
	require.Regexp(t, `(?m)^`+u.Namespace+` +domain.takaro.roadstead.dev/shown +shown +Ready`, all)
	described := u.Kubectl(t, "describe", "dom", "shown")
	require.Regexp(t, `Takaro API URL: +`+address, described)
	require.Regexp(t, `Normal +Created .*made in Takaro`, described)
	require.Equal(t, "domain.takaro.roadstead.dev/shown\n", u.Kubectl(t, "get", "dom", "-o", "name"))
	require.Equal(t, "an-id", u.Kubectl(t, "get", "dom", "shown", "-o", "jsonpath={.status.domainId}"))
}

// columns splits a table of kubectl, whose cells may contain single spaces.
func columns(table string) [][]string {
	var rows [][]string
	for line := range strings.Lines(table) {
		var cells []string
		for cell := range strings.SplitSeq(strings.TrimSpace(line), "  ") {
			if cell = strings.TrimSpace(cell); cell != "" {
				cells = append(cells, cell)
			}
		}
		rows = append(rows, cells)
	}
	return rows
}

func TestKubectlWait(t *testing.T) {
	t.Parallel()
	u := statusWriter(t)
	domain := created(t, u, newDomain("awaited"))
	ctx, cancel := context.WithTimeout(t.Context(), framework.Limit)
	defer cancel()
	waits := make(chan string, 2)
	for _, what := range []string{"condition=Ready", "jsonpath={.status.domainId}=an-id"} {
		go func() { waits <- u.Kubectl(t, "wait", "dom/awaited", "--for="+what, "--timeout=60s") }()
	}
	select {
	case out := <-waits:
		t.Fatalf("kubectl wait returned before there was a status: %s", out)
	case <-time.After(700 * time.Millisecond): // long enough for kubectl to start its watch
	}
	domain.Status.DomainID = "an-id"
	domain.Status.Conditions = []metav1.Condition{{Type: "Ready", Status: "True", Reason: "Done", LastTransitionTime: metav1.Now()}}
	_, err := u.Domains().UpdateStatus(t.Context(), domain, metav1.UpdateOptions{})
	require.NoError(t, err)
	for range 2 {
		select {
		case out := <-waits:
			require.Contains(t, out, "condition met")
		case <-ctx.Done():
			t.Fatal("kubectl wait does not return")
		}
	}
}

func TestKubectlAuthCanI(t *testing.T) {
	t.Parallel()
	namespace := env.Namespace(t)
	for role, allowed := range map[string][]string{
		"view":  {"get", "list", "watch"},
		"edit":  {"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"},
		"admin": {"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"},
	} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			u := env.User(t, namespace, role)
			for _, verb := range allowed {
				require.Equal(t, "yes\n", u.Kubectl(t, "auth", "can-i", verb, "domains.takaro.roadstead.dev"), verb)
			}
			if role == "view" {
				require.Contains(t, u.KubectlFails(t, manifest("refused"), "create", "-f", "-"), "is forbidden")
			}
			for _, never := range [][]string{{"adopt", "domains.takaro.roadstead.dev"}, {"update", "domains.takaro.roadstead.dev",
				"--subresource=status"}} {
				u.KubectlFails(t, "", append([]string{"auth", "can-i"}, never...)...)
			}
		})
	}
}
