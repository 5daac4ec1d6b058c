// SPDX-License-Identifier: Apache-2.0

//go:build integration

package apiserver

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/test/framework"
)

func long(n int) string { return strings.Repeat("x", n) }

// TestEveryRuleIsRefusedByItsPath sends one object for each rule and requires exactly one cause at
// the path of the field.
func TestEveryRuleIsRefusedByItsPath(t *testing.T) {
	t.Parallel()
	u := env.User(t, env.Namespace(t), "admin") // has the right to get Secrets, so that only validation rejects the object
	object := func(name, spec string) string {
		return fmt.Sprintf(`{"apiVersion":"takaro.roadstead.dev/v1alpha1","kind":"Domain","metadata":{"name":%q},"spec":{%s}}`, name, spec)
	}
	spec := func(more string) string { return object("valid", `"takaroApiUrl":"`+address+`",`+more) }
	url := func(value string) string { return object("valid", `"takaroApiUrl":"`+value+`"`) }
	for name, tc := range map[string]struct{ body, path, says string }{
		"name too short":              {spec(`"name":"ab"`), "spec.name", "at least 3"},
		"name too long":               {spec(`"name":"` + long(201) + `"`), "spec.name", "200"},
		"name taken from metadata":    {object("ab", `"takaroApiUrl":"`+address+`"`), "spec.name", "at least 3"},
		"no address":                  {object("valid", ``), "spec.takaroApiUrl", "Required"},
		"address of another scheme":   {url("ftp://a.test"), "spec.takaroApiUrl", "http:// or https://"},
		"address without host":        {url("https:///x"), "spec.takaroApiUrl", "must name a host"},
		"address with credentials":    {url("https://user:geheim@a.test"), "spec.takaroApiUrl", "must not hold credentials"},
		"address with query":          {url("https://a.test?x=y"), "spec.takaroApiUrl", "query or fragment"},
		"address with fragment":       {url("https://a.test#x"), "spec.takaroApiUrl", "query or fragment"},
		"address that is none":        {url("https://a.test:port"), "spec.takaroApiUrl", "must be a URL"},
		"address too long":            {url("https://a.test/" + long(2048)), "spec.takaroApiUrl", "2048"},
		"connector of another scheme": {spec(`"connectorUrl":"https://a.test"`), "spec.connectorUrl", "ws:// or wss://"},
		"connector too long":          {spec(`"connectorUrl":"wss://a.test/` + long(2048) + `"`), "spec.connectorUrl", "2048"},
		"credentials without name":    {spec(`"credentialsSecretRef":{"name":""}`), "spec.credentialsSecretRef.name", "Required"},
		"credentials with bad name":   {spec(`"credentialsSecretRef":{"name":"No_Name"}`), "spec.credentialsSecretRef.name", "lower"},
		"credentials with bad key":    {spec(`"credentialsSecretRef":{"name":"n","key":"a b"}`), "spec.credentialsSecretRef.key", "valid"},
		"CA bundle without name": {spec(`"credentialsSecretRef":{"name":"n"},"caBundleSecretRef":{"name":""}`),
			"spec.caBundleSecretRef.name", "Required"},
		"CA bundle with bad key": {spec(`"credentialsSecretRef":{"name":"n"},"caBundleSecretRef":{"name":"n","key":".."}`),
			"spec.caBundleSecretRef.key", ".."},
		"CA bundle with other token": {spec(`"caBundleSecretRef":{"name":"n"}`), "spec.caBundleSecretRef",
			"only together with spec.credentialsSecretRef"},
		"reference too short":        {spec(`"externalReferenceId":"ab"`), "spec.externalReferenceId", "at least 3"},
		"reference too long":         {spec(`"externalReferenceId":"` + long(201) + `"`), "spec.externalReferenceId", "200"},
		"reference of our own form":  {spec(`"externalReferenceId":"roadstead:a:b"`), "spec.externalReferenceId", "may not start with"},
		"adoption without reference": {spec(`"adopt":true,"credentialsSecretRef":{"name":"n"}`), "spec.externalReferenceId", "spec.adopt needs"},
		"negative game servers": {spec(`"domainLimits":{"maxGameServers":-1}`), "spec.domainLimits.maxGameServers",
			"greater than or equal to 0"},
		"negative users": {spec(`"domainLimits":{"maxUsers":-1}`), "spec.domainLimits.maxUsers", "greater than or equal to 0"},
		"negative variables": {spec(`"domainLimits":{"maxVariables":-1}`), "spec.domainLimits.maxVariables",
			"greater than or equal to 0"},
		"negative modules": {spec(`"domainLimits":{"maxModules":-1}`), "spec.domainLimits.maxModules", "greater than or equal to 0"},
		"negative days": {spec(`"domainLimits":{"eventRetentionDays":-1}`), "spec.domainLimits.eventRetentionDays",
			"greater than or equal to 0"},
		"maintenance and disabled":   {spec(`"maintenanceMode":true,"disabled":true`), "spec.disabled", "may not be true together"},
		"description too long":       {spec(`"description":"` + long(2001) + `"`), "spec.description", "2000"},
		"unknown policy":             {spec(`"deletionPolicy":"Forget"`), "spec.deletionPolicy", `"Delete"`},
		"object name of no DNS form": {object("Not_DNS", `"name":"valid","takaroApiUrl":"`+address+`"`), "metadata.name", "lower"},
		"object name too long":       {object(long(201), `"name":"valid","takaroApiUrl":"`+address+`"`), "metadata.name", "200"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := framework.Do(t, u.Config, framework.Request{Method: http.MethodPost, Path: framework.DomainsPath(u.Namespace), Body: tc.body})
			status := answer.Status(t, http.StatusUnprocessableEntity)
			require.Len(t, status.Details.Causes, 1, "%s", status.Message)
			require.Equal(t, tc.path, status.Details.Causes[0].Field)
			require.Contains(t, status.Details.Causes[0].Message, tc.says)
			require.NotContains(t, status.Message, "geheim")
		})
	}
}

func TestImmutableFieldsAndUpdates(t *testing.T) {
	t.Parallel()
	u := editor(t)
	reference := "fixed-" + u.Namespace
	created(t, u, newDomain("fixed", func(d *v1alpha1.Domain) { d.Spec.ExternalReferenceID = reference }))
	created(t, u, newDomain("free"))
	for name, tc := range map[string]struct{ object, patch, path string }{
		"address changed":         {"fixed", `{"spec":{"takaroApiUrl":"https://other.test"}}`, "spec.takaroApiUrl"},
		"reference changed":       {"fixed", `{"spec":{"externalReferenceId":"another"}}`, "spec.externalReferenceId"},
		"reference taken away":    {"fixed", `{"spec":{"externalReferenceId":null}}`, "spec.externalReferenceId"},
		"reference given later":   {"free", `{"spec":{"externalReferenceId":"another"}}`, "spec.externalReferenceId"},
		"adoption without Retain": {"fixed", `{"spec":{"adopt":true,"credentialsSecretRef":{"name":"n"}}}`, "spec.deletionPolicy"},
	} {
		t.Run(name, func(t *testing.T) {
			status := framework.Do(t, u.Config, framework.Request{
				Method: http.MethodPatch, Path: framework.DomainsPath(u.Namespace) + "/" + tc.object, ContentType: "application/merge-patch+json",
				Body: tc.patch,
			}).Status(t, http.StatusUnprocessableEntity)
			require.Len(t, status.Details.Causes, 1, "%s", status.Message)
			require.Equal(t, tc.path, status.Details.Causes[0].Field)
		})
	}
	problems := u.KubectlFails(t, "", "patch", "dom", "fixed", "--type=merge", `-p={"spec":{"takaroApiUrl":"https://other.test"}}`)
	require.Contains(t, problems, `The Domain "fixed" is invalid: spec.takaroApiUrl: Invalid value: "https://other.test": field is `+
		`immutable; the current value is "`+address+`"`)
	require.EqualValues(t, 1, got(t, u, "fixed").Generation)
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	u := env.User(t, env.Namespace(t), "admin")
	plain := created(t, u, newDomain("plain"))
	require.Equal(t, v1alpha1.DomainSpec{Name: "plain", TakaroAPIURL: address, DeletionPolicy: v1alpha1.DeletionPolicyDelete}, plain.Spec)
	require.EqualValues(t, 1, plain.Generation)
	adopted := created(t, u, newDomain("adopted", func(d *v1alpha1.Domain) {
		d.Spec.Adopt, d.Spec.ExternalReferenceID = true, "adopted-"+u.Namespace
		d.Spec.CredentialsSecretRef = &v1alpha1.SecretKeyReference{Name: "mine"}
		d.Spec.CABundleSecretRef = &v1alpha1.SecretKeyReference{Name: "ca"}
	}))
	require.Equal(t, v1alpha1.DeletionPolicyRetain, adopted.Spec.DeletionPolicy)
	require.Equal(t, "adminToken", adopted.Spec.CredentialsSecretRef.Key)
	require.Equal(t, "ca.crt", adopted.Spec.CABundleSecretRef.Key)
	generated := created(t, u, newDomain("", func(d *v1alpha1.Domain) { d.GenerateName = "generated-" }))
	require.Equal(t, generated.Name, generated.Spec.Name)

	named := created(t, u, newDomain("named", func(d *v1alpha1.Domain) { d.Spec.Name = "Its own name" }))
	named.Spec.Name = ""
	named.Spec.Description = "changed"
	named, err := u.Domains().Update(t.Context(), named, metav1.UpdateOptions{})
	require.NoError(t, err)
	require.Equal(t, "Its own name", named.Spec.Name, "an update that leaves the name out keeps it")
}

func TestWarningForUnencryptedAddresses(t *testing.T) {
	t.Parallel()
	u := editor(t)
	body := strings.Replace(manifest("plaintext"), "https://", "http://", 1)
	answer := framework.Do(t, u.Config, framework.Request{Method: http.MethodPost, Path: framework.DomainsPath(u.Namespace),
		ContentType: "application/yaml", Body: body})
	require.Equal(t, http.StatusCreated, answer.Code)
	require.Contains(t, answer.Header.Get("Warning"), "are sent unencrypted")
}
