// SPDX-License-Identifier: Apache-2.0

//go:build integration && slow

package replicas

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/cluster"
)

// takeNewCertificates covers k/k#66448, k/k#86552 and linkerd2 #3497.
func takeNewCertificates(t *testing.T) {
	u := editor(t)
	pids := map[string]int{}
	for _, server := range running() {
		pids[server.Name()] = server.PID()
		answer := framework.Do(t, direct(server.Address()), framework.Request{Path: "/livez?verbose"})
		require.Contains(t, string(answer.Body), "[+]loopback-serving-certificate ok")
	}
	unavailable := watchAvailability(t)
	l := mixed(t, u, 50)

	begin := time.Now()
	first, err := framework.ShownCertificate(running()[0].Address())
	require.NoError(t, err)
	foreign := env.ReplaceServingCertificate(t, 365*24*time.Hour)
	second := awaitRenewed(t, first, foreign)
	t.Logf("all replicas serve a certificate of a new CA %s after the Secret was overwritten", time.Since(begin).Round(time.Second))
	begin = time.Now()
	require.NoError(t, env.Admin.CoreV1().Secrets("roadstead-system").Delete(t.Context(), framework.ServingSecret, metav1.DeleteOptions{}))
	awaitRenewed(t, first, foreign, second)
	t.Logf("all replicas serve a certificate of a new CA %s after the Secret was deleted", time.Since(begin).Round(time.Second))

	begin = time.Now()
	rotateFrontProxy(t)
	t.Logf("the front proxy's CA was replaced within %s", time.Since(begin).Round(time.Second))
	l.faultless(t, 1000)
	require.Empty(t, unavailable(), "the APIService was always available")
	for _, server := range running() {
		require.Equal(t, pids[server.Name()], server.PID(), "%s was not restarted", server.Name())
	}
}

// awaitRenewed waits until all replicas present the same new certificate and returns it.
func awaitRenewed(t *testing.T, old ...*x509.Certificate) *x509.Certificate {
	t.Helper()
	var renewed *x509.Certificate
	framework.AwaitFor(t, 2*time.Minute, "another certificate", func() error {
		renewed = nil
		for _, server := range running() {
			shown, err := framework.ShownCertificate(server.Address())
			if err != nil {
				return err
			}
			if slices.ContainsFunc(old, shown.Equal) || renewed != nil && !shown.Equal(renewed) {
				return fmt.Errorf("%s serves %s of %s", server.Name(), shown.Subject, shown.Issuer)
			}
			renewed = shown
		}
		return nil
	})
	return renewed
}

// loads returns how often kube-apiserver has loaded the client certificate of the aggregation
// layer.
func loads(t *testing.T) int {
	t.Helper()
	log, err := os.ReadFile(env.Cluster.Logs(cluster.APIServer))
	require.NoError(t, err)
	return strings.Count(string(log), `"Loaded a new cert/key pair" name="aggregator-proxy-cert`)
}

// rotateFrontProxy replaces the CA of the client certificate of the aggregation layer step by step.
func rotateFrontProxy(t *testing.T) {
	t.Helper()
	rotation, err := env.Cluster.RotateFrontProxy()
	require.NoError(t, err)
	next, key := rotation.Next()
	awaitFrontProxy(t, next, key, http.StatusOK)
	before := loads(t)
	require.NoError(t, rotation.Switch())
	// The files are reloaded within a minute.
	framework.AwaitFor(t, 2*time.Minute, "the aggregation layer to take its new certificate", func() error {
		if loads(t) == before {
			return errors.New("not read yet")
		}
		return nil
	})
	require.NoError(t, rotation.Finish())
	// kube-apiserver adds CAs to the published ConfigMap and never removes a valid one. The
	// administrator has to do that.
	ca, err := os.ReadFile(env.Cluster.RequestHeaderCA())
	require.NoError(t, err)
	maps := env.Admin.CoreV1().ConfigMaps("kube-system")
	framework.AwaitFor(t, 2*time.Minute, "the old CA to be gone from the published ones", func() error {
		published, err := maps.Get(t.Context(), "extension-apiserver-authentication", metav1.GetOptions{})
		if err != nil || published.Data["requestheader-client-ca-file"] == string(ca) {
			return err
		}
		published.Data["requestheader-client-ca-file"] = string(ca)
		_, err = maps.Update(t.Context(), published, metav1.UpdateOptions{})
		return errors.Join(err, errors.New("taken out just now"))
	})
	previous, key := rotation.Previous()
	awaitFrontProxy(t, previous, key, http.StatusUnauthorized)
}

// awaitFrontProxy returns when all replicas respond with the given code to a front-proxy client
// certificate.
func awaitFrontProxy(t *testing.T, cert, key string, code int) {
	t.Helper()
	framework.AwaitFor(t, 2*time.Minute, fmt.Sprintf("code %d for a front proxy's certificate", code), func() error {
		for _, server := range running() {
			config := &rest.Config{Host: "https://" + server.Address(), TLSClientConfig: rest.TLSClientConfig{Insecure: true,
				CertFile: cert, KeyFile: key}}
			got, err := asFrontProxy(t, config)
			if err != nil {
				return err
			}
			if got != code {
				return fmt.Errorf("%s answers %d", server.Name(), got)
			}
		}
		return nil
	})
}

func asFrontProxy(t *testing.T, config *rest.Config) (int, error) {
	t.Helper()
	client, err := rest.HTTPClientFor(config)
	require.NoError(t, err)
	defer client.CloseIdleConnections()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, config.Host+"/apis", nil)
	require.NoError(t, err)
	request.Header.Set("X-Remote-User", "someone")
	request.Header.Set("X-Remote-Group", "system:authenticated")
	response, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}
