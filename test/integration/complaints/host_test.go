// SPDX-License-Identifier: Apache-2.0

//go:build integration

package complaints

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"roadstead.dev/roadstead/test/framework"
)

// TestAHostThatDoesNotAnswerIsWaitedFor verifies that the server waits for an unreachable cluster
// and logs that, instead of exiting repeatedly.
func TestAHostThatDoesNotAnswerIsWaitedFor(t *testing.T) {
	path := framework.File(t, "kubeconfig", "", 0o600)
	nowhere := clientcmdapi.NewConfig()
	// Only root can listen on this port, so the address is unreachable.
	nowhere.Clusters["host"] = &clientcmdapi.Cluster{Server: "https://127.0.0.1:1", InsecureSkipTLSVerify: true}
	nowhere.Contexts["host"] = &clientcmdapi.Context{Cluster: "host"}
	nowhere.CurrentContext = "host"
	require.NoError(t, clientcmd.WriteToFile(*nowhere, path))
	server := further(t, nil, "--kubeconfig="+path)
	ctx, cancel := context.WithCancel(t.Context())
	started := make(chan error, 1)
	go func() { started <- server.Start(ctx) }()
	framework.AwaitFor(t, 20*time.Second, "the third attempt", func() error {
		select {
		case err := <-started:
			require.NoError(t, err, "it must go on trying")
		default:
		}
		if !fileExists(server.Log()) || len(logged(t, server.Log(), "kube-apiserver does not respond; trying again")) < 3 {
			return errors.New("not yet")
		}
		return nil
	})
	cancel()
	require.ErrorIs(t, <-started, context.Canceled)
	require.Contains(t, logged(t, server.Log(), "trying again")[0], "connection refused")
	require.Contains(t, logged(t, server.Log(), "trying again")[0], "giveUpAfter")
}
