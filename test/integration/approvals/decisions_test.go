// SPDX-License-Identifier: Apache-2.0

//go:build integration

package approvals

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"roadstead.dev/roadstead/test/framework"
)

func TestAPersonApproves(t *testing.T) {
	q := ask(t)
	require.Contains(t, kubectl(t, "bob", "", "get", "approvals", "--field-selector=status.decision=Pending", "-o", "name"), q.approval)
	require.Contains(t, kubectl(t, "bob", "", "get", "approvals", "--field-selector=spec.environment=", "-o", "name"), q.approval)
	require.NotContains(t, kubectl(t, "bob", "", "get", "approvals", "--field-selector=spec.environment=Production", "-o", "name"), q.approval)
	require.Contains(t, refused(t, "bob", "", "get", "approvals", "--field-selector=spec.type=x"),
		"use one of metadata.name, spec.environment, spec.subject.name, status.decision")
	require.Regexp(t, q.approval+` +BreakingCRDChange +CRDSchema/`+q.new+` +<none> +0/1 +Pending +ann +23h`,
		kubectl(t, "bob", "", "get", "appr"))
	require.Equal(t, "nobody uses long names", field(t, "approval", q.approval, ".spec.reason"))
	awaitEvent(t, q.new, "ApprovalRequested")

	saysInVain(t, "ann", "approve", q.approval, "", "another user must approve it")
	saysInVain(t, "dan", "approve", q.approval, "", `dan needs the verb "approve" on approvals.release.roadstead.dev`)
	saysInVain(t, "dan", "reject", q.approval, "no", `dan needs the verb "approve" on approvals.release.roadstead.dev`)
	saysInVain(t, "eve", "approve", q.approval, "", "forbidden")
	says(t, "bob", "approve", q.approval, "seen", "dryRun=All")
	require.Equal(t, "Pending", field(t, "approval", q.approval, ".status.decision"))
	require.Contains(t, says(t, "bob", "approve", q.approval, "seen"), `"kind":"ApprovalDecision"`)
	saysInVain(t, "cleo", "reject", q.approval, "no", "it has already been decided: Approved by bob")
	kubectl(t, "bob", "", "wait", "--for=condition=Finished", "approval/"+q.approval, "--timeout=30s")
	kubectl(t, "bob", "", "wait", "--for=condition=Ready", "approval/"+q.approval, "--timeout=30s")
	awaitField(t, "crdschema", q.new, ".status.approval", "Approved")
	require.Equal(t, "Ready", field(t, "crdschema", q.new, ".status.phase"))
	require.Contains(t, field(t, "crdschema", q.new, `.status.conditions[?(@.type=="Ready")].message`), "approved by bob: seen")
	awaitEvent(t, q.approval, "Approved")
	awaitEvent(t, q.new, "Approved")
}

func TestAPersonRejects(t *testing.T) {
	q := ask(t)
	saysInVain(t, "bob", "reject", q.approval, "", "reason: Required value")
	says(t, "bob", "reject", q.approval, "too short")
	kubectl(t, "bob", "", "wait", "--for=condition=Finished", "approval/"+q.approval, "--timeout=30s")
	awaitField(t, "crdschema", q.new, ".status.approval", "Rejected")
	require.Contains(t, field(t, "crdschema", q.new, `.status.conditions[?(@.type=="Ready")].message`), "rejected by bob: too short")
	awaitEvent(t, q.approval, "Rejected")
	withdrawn := ask(t)
	says(t, "ann", "reject", withdrawn.approval, "not needed any more")
	awaitField(t, "crdschema", withdrawn.new, ".status.approval", "Rejected")
}

func TestNobodyElseMakesApprovals(t *testing.T) {
	q := ask(t)
	manifest := "apiVersion: " + group + "/v1alpha1\nkind: Approval\nmetadata: {name: mine}\nspec: {subject: {kind: CRDSchema, name: " +
		q.new + ", uid: x}}\n"
	for _, args := range [][]string{{"create"}, {"create", "--dry-run=server"}, {"apply", "--server-side"}, {"apply"}} {
		require.Contains(t, refused(t, admin, manifest, append(args, "-f", "-")...), "only the controller creates Approvals", "%v", args)
	}
	forged := `{"status":{"decision":"Approved","decisions":[{"user":"bob","decision":"Approved","level":1}]}}`
	require.Contains(t, refused(t, admin, "", "patch", "approval", q.approval, "--subresource=status", "--type=merge", "-p", forged),
		"by the subresources approve and reject only")
	require.Contains(t, refused(t, admin, "", "patch", "approval", q.approval, "--type=merge", "-p", `{"spec":{"requestedBy":"bob"}}`),
		"immutable")
}

// TestForgedHeadersDecideNothing verifies that a direct caller of the server is anonymous
// regardless of its identity headers, and that the aggregator does not forward the identity headers
// of its callers.
func TestForgedHeadersDecideNothing(t *testing.T) {
	q := ask(t)
	as := func(config *rest.Config) framework.Answer {
		config.Wrap(func(next http.RoundTripper) http.RoundTripper {
			return roundTripper(func(r *http.Request) (*http.Response, error) {
				r.Header.Set("X-Remote-User", "bob")
				r.Header.Set("X-Remote-Group", "system:masters")
				return next.RoundTrip(r)
			})
		})
		return framework.Do(t, config, framework.Request{
			Method: http.MethodPost, Path: "/apis/" + group + "/v1alpha1/approvals/" + q.approval + "/approve",
			Body: `{"apiVersion":"` + group + `/v1alpha1","kind":"ApprovalDecision","reason":"forged"}`,
		})
	}
	past := as(&rest.Config{Host: "https://" + env.Roadstead.APIServerAddr(), TLSClientConfig: rest.TLSClientConfig{Insecure: true}})
	require.Equal(t, http.StatusForbidden, past.Code, "%s", past.Body)
	require.Contains(t, string(past.Body), "system:anonymous")
	through := env.Cluster.AdminConfig()
	through.Impersonate = rest.ImpersonationConfig{UserName: "dan"}
	answer := as(through)
	require.Equal(t, http.StatusForbidden, answer.Code, "%s", answer.Body)
	require.Contains(t, string(answer.Body), "dan needs the verb")
	require.Equal(t, "Pending", field(t, "approval", q.approval, ".status.decision"))
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestReviewsAreAnswered(t *testing.T) {
	old := env.Name("old")
	kubectl(t, "ann", schema(old, definition("widgets", 100), "", ""), "create", "-f", "-")
	review := func(from string, longest int) string {
		return "apiVersion: " + group + "/v1alpha1\nkind: CompatibilityReview\nspec:\n  " + from + "\n  new: " +
			definition("widgets", longest) + "\n"
	}
	const shown = "jsonpath={.status.verdict} {.status.allowed} {.status.requiresApproval}"
	// For kinds that only support create, kubectl checks whether they are CRDs, which ann cannot
	// list. As with a SubjectAccessReview, she leaves the validation to the server.
	for user, more := range map[string][]string{admin: nil, "ann": {"--validate=false"}} {
		for _, from := range []string{"oldRef: {name: " + old + "}", "old: " + definition("widgets", 100)} {
			require.Equal(t, "B true true", kubectl(t, user, review(from, 10), append(more, "create", "-f", "-", "-o", shown)...))
			require.Equal(t, "S true false", kubectl(t, user, review(from, 200), append(more, "create", "--dry-run=server",
				"-f", "-", "-o", shown)...))
		}
	}
	require.Contains(t, kubectl(t, admin, review("oldRef: {name: "+old+"}", 10), "create", "-f", "-", "-o", "yaml"), "code: CRD-402")
	require.Contains(t, refused(t, admin, review("oldRef: {name: nothing}", 10), "create", "-f", "-"),
		`spec.oldRef.name: Not found: "nothing"`)
	require.Contains(t, refused(t, "bob", review("oldRef: {name: "+old+"}", 10), "create", "--validate=false", "-f", "-"),
		"cannot create resource")
}
