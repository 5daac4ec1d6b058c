// SPDX-License-Identifier: Apache-2.0

//go:build integration

package operators

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/fakes/chartrepo"
	"roadstead.dev/roadstead/test/framework"
)

func TestFromApplyToReady(t *testing.T) {
	registry, err := chartrepo.NewRegistry(env.Serving, env.Authority)
	require.NoError(t, err)
	t.Cleanup(func() { _ = registry.Close() })
	repository := newRepository(t)
	for _, kind := range []string{"https", "oci"} {
		name := env.Name("ready-" + kind)
		url, digest := repository.URL(), ""
		if kind == "oci" {
			url = registry.URL()
			digest, err = registry.Add(t.Context(), chart(name, "1.0.0", sized))
			require.NoError(t, err)
		} else {
			digest = add(t, repository, chart(name, "1.0.0", sized))
		}
		apply(t, name, url)
		made := version(t, name, "1.0.0")
		ready(t, "operator/"+name)
		ready(t, "operatorversion/"+made)
		assert.Equal(t, []string{made + ".gadgets." + name + ".example.com", made + ".widgets." + name + ".example.com"}, schemas(t, made))
		assert.Equal(t, digest, kubectl(t, "", "get", "operatorversion", made, "-o", "jsonpath={.status.chartDigest}"))
		says(t, "operatorversion/"+made, "CRDsCompatible", "True NothingToCompare")
		says(t, "operator/"+name, "RepositoryReachable", "True RepositoryAnswers")
		assert.Equal(t, "1.0.0 1", kubectl(t, "", "get", "operator", name, "-o", "jsonpath={.status.latestVersion} {.status.versions}"))

		// The CRDSchemas are deleted with their version.
		kubectl(t, "", "delete", "operatorversion", made)
		framework.Await(t, "the CRDSchemas to go", func() error {
			if left := schemas(t, made); len(left) > 0 {
				return fmt.Errorf("%v", left)
			}
			return nil
		})
	}
}

func TestAVersionThatIsAppliedBeforeItsOperator(t *testing.T) {
	repository, name := newRepository(t), env.Name("early")
	add(t, repository, chart(name, "1.0.0", sized))
	made := version(t, name, "1.0.0")
	assert.Contains(t, says(t, "operatorversion/"+made, "Ready", "False OperatorNotFound"), name)
	apply(t, name, repository.URL())
	ready(t, "operatorversion/"+made)
}

func TestABreakingVersionWaitsForAnApproval(t *testing.T) {
	repository, name := newRepository(t), env.Name("breaking")
	for number, fields := range map[string]string{"1.0.0": sized, "1.1.0": extended, "2.0.0": narrowed} {
		add(t, repository, chart(name, number, fields))
	}
	apply(t, name, repository.URL())
	first := version(t, name, "1.0.0")
	ready(t, "operatorversion/"+first)
	second := version(t, name, "1.1.0")
	ready(t, "operatorversion/"+second)
	says(t, "operatorversion/"+second, "CRDsCompatible", "True Compatible")

	third := version(t, name, "2.0.0")
	says(t, "operatorversion/"+third, "Ready", "False AwaitingApproval")
	assert.Equal(t, "AwaitingApproval Pending", kubectl(t, "", "get", "operatorversion", third, "-o",
		"jsonpath={.status.phase} {.status.approval}"))
	for _, schema := range schemas(t, third) {
		approve(t, schema)
	}
	ready(t, "operatorversion/"+third)
	says(t, "operatorversion/"+third, "CRDsCompatible", "True Approved")
}

// approve approves the pending change of a CRDSchema as a user that did not request it.
func approve(t *testing.T, schema string) {
	t.Helper()
	approval := approvalOf(t, schema)
	kubectl(t, `{"apiVersion":"release.roadstead.dev/v1alpha1","kind":"ApprovalDecision","reason":"no object uses the field"}`,
		"--as=approver", "--as-group=system:masters", "create", "--raw", "/apis/release.roadstead.dev/v1alpha1/approvals/"+
			approval+"/approve", "-f", "-")
}

// approvalOf waits for the Approval of a CRDSchema and returns its name.
func approvalOf(t *testing.T, schema string) (approval string) {
	t.Helper()
	framework.Await(t, "an Approval of "+schema, func() error {
		out, err := try(t, "", "get", "approvals", "-o",
			`jsonpath={range .items[*]}{.spec.subject.name} {.metadata.name} {.spec.requestedBy}{"\n"}{end}`)
		if err != nil {
			return err
		}
		for line := range strings.Lines(out) {
			if fields := strings.Fields(line); len(fields) == 3 && fields[0] == schema {
				approval = fields[1]
				return nil
			}
		}
		return fmt.Errorf("there is none")
	})
	return approval
}

func TestABreakingVersionThatIsDenied(t *testing.T) {
	repository, name := newRepository(t), env.Name("denied")
	add(t, repository, chart(name, "1.0.0", sized))
	add(t, repository, chart(name, "2.0.0", narrowed))
	apply(t, name, repository.URL(), "crdPolicy: {breaking: Deny}")
	ready(t, "operatorversion/"+version(t, name, "1.0.0"))
	second := version(t, name, "2.0.0")
	says(t, "operatorversion/"+second, "CRDsCompatible", "False BreakingRefused")
	says(t, "operatorversion/"+second, "Ready", "False BreakingRefused")
	finding := kubectl(t, "", "get", "operatorversion", second, "-o",
		"jsonpath={.status.findings[0].code} {.status.findings[0].version} {.status.findings[0].path}")
	assert.Regexp(t, `^CRD-\S+ v1 \S*color`, finding)
	assert.Empty(t, schemas(t, second))
	kubectl(t, "", "patch", "operator", name, "--type=merge", "-p", `{"spec":{"crdPolicy":{"breaking":"Warn"}}}`)
	ready(t, "operatorversion/"+second)
	says(t, "operatorversion/"+second, "CRDsCompatible", "True BreakingAllowed")
}

func TestWhatIsWrongIsACondition(t *testing.T) {
	repository, name := newRepository(t), env.Name("wrong")
	add(t, repository, chart(name, "1.0.0", sized))
	add(t, repository, chartrepo.Chart{Name: name, Version: "2.0.0", Raw: map[string]string{"../../evil": "x"}})
	add(t, repository, chartrepo.Chart{Name: name, Version: "3.0.0", Links: map[string]string{"crds/x.yaml": "/etc/passwd"}})
	needy := chart(name, "4.0.0", sized)
	needy.Files["templates/a.yaml"] = `{{ required "say which" .Values.which }}`
	add(t, repository, needy)
	add(t, repository, chart(name, "5.0.0", sized))
	add(t, repository, chart(name, "6.0.0", sized))
	require.NoError(t, repository.Announce(name, "5.0.0", strings.Repeat("ab", 32), ""))
	repository.Fail(name+"-6.0.0.tgz", chartrepo.Endless())
	repository.Fail("/index.yaml", chartrepo.Status(http.StatusServiceUnavailable, "s3cr3t"))

	apply(t, name, repository.URL())
	made := version(t, name, "1.0.0")
	for _, object := range []string{"operator/" + name, "operatorversion/" + made} {
		message := says(t, object, "Ready", "False RepositoryUnavailable")
		assert.Contains(t, message, "503")
		assert.NotContains(t, message, "s3cr3t")
	}
	repository.Fail("/index.yaml", chartrepo.Status(http.StatusForbidden, "s3cr3t"))
	says(t, "operator/"+name, "RepositoryReachable", "False CredentialsRefused")
	repository.Heal()
	repository.Fail(name+"-6.0.0.tgz", chartrepo.Endless())
	ready(t, "operator/"+name)
	ready(t, "operatorversion/"+made)
	for number, want := range map[string][2]string{
		"2.0.0": {"ChartInvalid", "is outside of the chart"}, "3.0.0": {"ChartInvalid", "is a link"}, "4.0.0": {"ChartNotRendered", "say which"},
		"5.0.0": {"ChartDigestMismatch", "sha256:abab"}, "6.0.0": {"ChartTooLarge", "20 MiB"}, "7.0.0": {"ChartVersionNotFound", "7.0.0"},
	} {
		object := "operatorversion/" + version(t, name, number)
		assert.Contains(t, says(t, object, "ChartFetched", "False "+want[0]), want[1], number)
		says(t, object, "Ready", "False "+want[0])
	}
	kubectl(t, "", "patch", "operator", name, "--type=merge", "-p", `{"spec":{"values":{"which":"kind: X"}}}`)
	ready(t, "operatorversion/"+name+"-4.0.0")
}

func TestCredentials(t *testing.T) {
	repository, name := newRepository(t), env.Name("login")
	add(t, repository, chart(name, "1.0.0", sized))
	repository.RequireLogin("carol", "hunter2-of-charts")
	namespace := env.Namespace(t)
	apply(t, name, repository.URL(), fmt.Sprintf(", credentialsSecretRef: {namespace: %s, name: login}", namespace))
	made := version(t, name, "1.0.0")
	says(t, "operator/"+name, "Ready", "False SecretNotFound")
	kubectl(t, "", "create", "secret", "generic", "login", "-n", namespace, "--from-literal=username=carol")
	assert.Contains(t, says(t, "operator/"+name, "Ready", "False SecretInvalid"), "must be of type kubernetes.io/basic-auth")
	kubectl(t, "", "delete", "secret", "login", "-n", namespace)
	kubectl(t, "", "create", "secret", "generic", "login", "-n", namespace, "--type=kubernetes.io/basic-auth",
		"--from-literal=username=carol", "--from-literal=password=wrong")
	says(t, "operator/"+name, "Ready", "False CredentialsRefused")
	kubectl(t, "", "delete", "secret", "login", "-n", namespace)
	kubectl(t, "", "create", "secret", "docker-registry", "login", "-n", namespace, "--docker-server="+repository.Host(),
		"--docker-username=carol", "--docker-password=hunter2-of-charts")
	ready(t, "operator/"+name)
	ready(t, "operatorversion/"+made)
}

func TestVersionsAreDiscovered(t *testing.T) {
	repository, name := newRepository(t), env.Name("discovered")
	for _, number := range []string{"0.9.0", "1.0.0", "1.1.0"} {
		add(t, repository, chart(name, number, sized))
	}
	apply(t, name, repository.URL(), `, discover: ">=1.0.0"`, "versionHistoryLimit: 2")
	ready(t, "operator/"+name)
	for _, number := range []string{"1.0.0", "1.1.0"} {
		framework.Await(t, number, func() error { _, err := try(t, "", "get", "operatorversion", name+"-"+number); return err })
		ready(t, "operatorversion/"+name+"-"+number)
	}
	says(t, "operatorversion/"+name+"-1.1.0", "CRDsCompatible", "True Compatible")
	assert.Equal(t, "system:serviceaccount:roadstead-system:roadstead-controller",
		kubectl(t, "", "get", "operatorversion", name+"-1.0.0", "-o", "jsonpath={.status.createdBy}"))
	requester := kubectl(t, "", "get", "operator", name, "-o", "jsonpath={.status.changedBy}")
	require.NotEmpty(t, requester)
	assert.Equal(t, requester, kubectl(t, "", "get", "operatorversion", name+"-1.0.0", "-o", "jsonpath={.status.requestedBy}"),
		"whoever set up the discovery wants the versions")
	assert.Equal(t, requester, kubectl(t, "", "get", "crdschema", name+"-1.0.0.widgets."+name+".example.com", "-o",
		"jsonpath={.status.requestedBy}"))

	add(t, repository, chart(name, "1.2.0", sized))
	framework.Await(t, "1.2.0", func() error { _, err := try(t, "", "get", "operatorversion", name+"-1.2.0"); return err })
	kubectl(t, "", "wait", "--for=delete", "operatorversion/"+name+"-1.0.0", "--timeout=60s")
	kubectl(t, "", "delete", "operator", name)
	kubectl(t, "", "wait", "--for=delete", "operatorversion/"+name+"-1.2.0", "--timeout=60s")
}

func TestAChartThatIsReplacedInItsRepository(t *testing.T) {
	repository, name := newRepository(t), env.Name("replaced")
	first := add(t, repository, chart(name, "1.0.0", sized))
	apply(t, name, repository.URL())
	made := version(t, name, "1.0.0")
	ready(t, "operatorversion/"+made)
	other := add(t, repository, chart(name, "1.0.0", extended))
	assert.Contains(t, says(t, "operatorversion/"+made, "ChartFetched", "False ChartDigestChanged"), other)
	says(t, "operatorversion/"+made, "Ready", "False ChartDigestChanged")
	assert.Equal(t, first, kubectl(t, "", "get", "operatorversion", made, "-o", "jsonpath={.status.chartDigest}"))
	add(t, repository, chart(name, "1.0.0", sized))
	ready(t, "operatorversion/"+made)
}
