// SPDX-License-Identifier: Apache-2.0

//go:build integration

package apiserver

import (
	"crypto/x509"
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/cert"

	"roadstead.dev/roadstead/test/framework"
)

// TestC16ACertificateThatIsDueIsRenewed covers k/k#66448 and linkerd2 #3497: the Secret is replaced
// with a certificate of another CA of which more than two thirds of the lifetime have passed. The
// server first serves it and then issues a new certificate without a restart. The aggregation layer
// trusts the served certificate at all times.
func TestC16ACertificateThatIsDueIsRenewed(t *testing.T) {
	t.Parallel()
	u := editor(t)
	pid := env.Roadstead.APIServer().PID()
	first, err := framework.ShownCertificate(env.Roadstead.APIServerAddr())
	require.NoError(t, err)
	foreign := env.ReplaceServingCertificate(t, 20*time.Minute)
	framework.Await(t, "the renewed certificate", func() error {
		answer := framework.Do(t, u.Config, framework.Request{Path: framework.DomainsPath(u.Namespace)})
		require.Equal(t, http.StatusOK, answer.Code, "%s", answer.Body)
		shown, err := framework.ShownCertificate(env.Roadstead.APIServerAddr())
		if err != nil {
			return err
		}
		if shown.Equal(first) || shown.Equal(foreign) {
			return errors.New("not served yet")
		}
		require.Greater(t, time.Until(shown.NotAfter), 300*24*time.Hour)
		return nil
	})
	secret, err := env.Admin.CoreV1().Secrets("roadstead-system").Get(t.Context(), framework.ServingSecret, metav1.GetOptions{})
	require.NoError(t, err)
	retired, err := cert.ParseCertsPEM(secret.Data["retired.crt"])
	require.NoError(t, err)
	for _, old := range []*x509.Certificate{first, foreign} {
		require.True(t, slices.ContainsFunc(retired, old.Equal), "their CAs stay trusted until they expire")
	}
	answer := framework.Do(t, u.Config, framework.Request{Path: framework.DomainsPath(u.Namespace)})
	require.Equal(t, http.StatusOK, answer.Code, "%s", answer.Body)
	require.Equal(t, pid, env.Roadstead.APIServer().PID())
}
