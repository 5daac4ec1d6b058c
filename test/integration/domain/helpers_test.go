// SPDX-License-Identifier: Apache-2.0

//go:build integration

package domain

import (
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/test/framework"
)

// absent returns an error while the Secret exists.
func (u *team) absent(secret string) error {
	_, err := env.Admin.CoreV1().Secrets(u.Namespace).Get(u.T.Context(), secret, metav1.GetOptions{})
	return framework.Unless(apierrors.IsNotFound(err), "Secret %s is there: %v", secret, err)
}

func fetch(t *testing.T, url string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	require.Equal(t, http.StatusOK, response.StatusCode, url)
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return string(body)
}
