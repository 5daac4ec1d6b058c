// SPDX-License-Identifier: Apache-2.0

//go:build integration

package domain

import (
	"context"
	"io"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/process"
)

// absent gives an error while the Secret is there.
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

// controllerLogs are the logs of all controllers so far.
var controllerLogs []string

// leading starts a controller that works without waiting for the Lease. It ends with the test.
func leading(t *testing.T) *process.Process {
	t.Helper()
	dir := filepath.Dir(env.Roadstead.Controller().Log())
	log := filepath.Join(dir, env.Name("leading")+".log")
	args := append([]string{"--kubeconfig=" + filepath.Join(dir, "roadstead-controller.kubeconfig"), "--namespace=roadstead-system",
		"--allow-loopback", "--metrics-bind-address=", "--leader-elect=false"}, controllerArgs...)
	program, err := filepath.Abs("../../../bin/roadstead-controller")
	require.NoError(t, err)
	started, err := process.Start(process.Options{Program: program, Args: args, Dir: dir, Log: log})
	require.NoError(t, err)
	controllerLogs = append(controllerLogs, log)
	t.Cleanup(func() { _ = started.Stop(30 * time.Second) })
	return started
}

// withoutTheUsual stops the installed controller for one test.
func withoutTheUsual(t *testing.T) {
	t.Helper()
	require.NoError(t, env.Roadstead.Controller().Stop())
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), framework.Limit)
		defer cancel()
		require.NoError(t, env.Roadstead.Controller().Start(ctx))
	})
}
