// SPDX-License-Identifier: Apache-2.0

package install

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

func TestRedirect(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kubeconfig")
	config := clientcmdapi.NewConfig()
	config.Clusters["one"] = &clientcmdapi.Cluster{Server: "https://127.0.0.1:1", CertificateAuthorityData: []byte("ca")}
	require.NoError(t, clientcmd.WriteToFile(*config, path))
	require.NoError(t, redirect(path, "127.0.0.1:2"))
	read, err := clientcmd.LoadFromFile(path)
	require.NoError(t, err)
	require.Equal(t, "https://127.0.0.1:2", read.Clusters["one"].Server)
	require.Equal(t, []byte("ca"), read.Clusters["one"].CertificateAuthorityData, "all else stays")
	require.ErrorContains(t, redirect(path+"-none", "127.0.0.1:2"), "kubeconfig-none")
}
