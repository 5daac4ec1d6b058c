// SPDX-License-Identifier: Apache-2.0

//go:build integration && slow

package hostile

import (
	"encoding/base64"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/fakes/chartrepo"
	"roadstead.dev/roadstead/test/fakes/privateca"
	"roadstead.dev/roadstead/test/fakes/takaro"
)

// attack performs every attack on the other tenants that is possible with the role edit in one
// namespace.
func attack(t *testing.T, victims *neighbours) {
	t.Helper()
	namespace := env.Namespace(t)
	_, foreign, err := privateca.New()
	require.NoError(t, err)
	own := newTakaro(t)
	apply(t, credentials(namespace, "own", own.AdminToken(), env.Authority), credentials(namespace, "wrong",
		victims.takaro.AdminToken(), foreign),
		domain(namespace, "own", own, "own"))

	// Responses without an end, slow responses, and another CA for the address that the other
	// tenants use.
	for name, fault := range map[string]takaro.Fault{
		"endless": {Kind: takaro.FaultEndless, Latency: time.Millisecond}, "slow": {Kind: takaro.FaultSlowBody},
		"silent": {Kind: takaro.FaultOutlast},
	} {
		server := newTakaro(t)
		_, err := server.InjectFault(fault)
		require.NoError(t, err)
		apply(t, credentials(namespace, name, server.AdminToken(), env.Authority))
		for i := range 20 {
			apply(t, domain(namespace, fmt.Sprintf("%s-%d", name, i), server, name))
		}
	}
	for i := range 20 {
		apply(t, domain(namespace, fmt.Sprintf("wrong-%d", i), victims.takaro, "wrong"))
	}

	// Charts with excessive output or run time. An administrator must allow Operators.
	repository, err := chartrepo.NewRepository(env.Serving)
	require.NoError(t, err)
	t.Cleanup(func() { _ = repository.Close() })
	for name, template := range map[string]string{
		"text": `{{ repeat 2000000000 "x" }}`,
		"loop": `{{ range until 100000 }}{{ range until 100000 }}{{ end }}{{ end }}`,
	} {
		_, err := repository.Add(chartrepo.Chart{Name: name, Version: "1.0.0", Files: map[string]string{"templates/all.yaml": template}})
		require.NoError(t, err)
		apply(t, fmt.Sprintf("apiVersion: release.roadstead.dev/v1alpha1\nkind: Operator\nmetadata: {name: %[1]s}\nspec: {namespace: "+
			"%[2]s, chart: {repository: %[3]q, name: %[1]s}}\n",
			name, namespace, repository.URL()),
			fmt.Sprintf("apiVersion: release.roadstead.dev/v1alpha1\nkind: OperatorVersion\nmetadata: {name: %[1]s-1.0.0}\nspec: "+
				"{operatorRef: {name: %[1]s}, version: 1.0.0}\n", name))
	}

	const many = 2000
	for at := 0; at < many; at += 200 {
		var users []string
		for i := at; i < at+200; i++ {
			users = append(users, user(namespace, fmt.Sprintf("mass-%d", i), "own"))
		}
		apply(t, users...)
	}
}

func credentials(namespace, name, token string, ca []byte) string {
	return fmt.Sprintf("apiVersion: v1\nkind: Secret\nmetadata: {name: %s, namespace: %s}\nstringData: {adminToken: %q}\ndata: {ca.crt: %s}\n",
		name, namespace, token, base64.StdEncoding.EncodeToString(ca))
}

func domain(namespace, name string, at *takaro.Server, secret string) string {
	return fmt.Sprintf("apiVersion: takaro.roadstead.dev/v1alpha1\nkind: Domain\nmetadata: {name: %[1]s, namespace: %[2]s}\n"+
		"spec: {takaroApiUrl: %[3]q, credentialsSecretRef: {name: %[4]s}, caBundleSecretRef: {name: %[4]s}}\n", name, namespace, at.URL(), secret)
}
