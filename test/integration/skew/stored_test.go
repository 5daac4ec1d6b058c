// SPDX-License-Identifier: Apache-2.0

//go:build integration && slow

package skew

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	ownership "roadstead.dev/roadstead/pkg/apis/ownership/v1alpha1"
)

// stored contains the fields of a Domain or User that both releases have, and the ledger of the
// newer one.
type stored struct {
	metav1.ObjectMeta `json:"metadata"`
	Status            struct {
		DomainID        string                      `json:"domainId"`
		UserID          string                      `json:"userId"`
		RootCredentials corev1.LocalObjectReference `json:"rootCredentialsSecretRef"`
		Credentials     corev1.LocalObjectReference `json:"credentialsSecretRef"`
		Conditions      []metav1.Condition          `json:"conditions"`
		Ownership       *ownership.Status           `json:"ownership"`
	} `json:"status"`
}

// object reads a Domain ("domain") or User ("user") from either release.
func (w *world) object(t *testing.T, kind, name string) (found stored) {
	t.Helper()
	out := env.Kubectl(t, "", "get", kind+"s.takaro.roadstead.dev", kind+"-"+name, "-n", namespace, "-o", "json")
	require.NoError(t, json.Unmarshal([]byte(out), &found))
	return found
}

// requireLogin requires that the login in a Secret is valid and unchanged since the first step.
func (w *world) requireLogin(t *testing.T, step step, secret, userKey string) {
	t.Helper()
	found, err := env.Admin.CoreV1().Secrets(namespace).Get(t.Context(), secret, metav1.GetOptions{})
	require.NoError(t, err)
	user, password := string(found.Data[userKey]), string(found.Data["password"])
	require.True(t, env.Takaro.PasswordIs(user, password), "%s: the login in Secret %s works", step, secret)
	w.keeps(t, step, secret, password)
}
