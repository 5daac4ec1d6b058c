// SPDX-License-Identifier: Apache-2.0

//go:build integration

package encryption

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/kms/pkg/service"

	"roadstead.dev/roadstead/test/framework"
)

// keyService is a key management service with one key, generated at run time.
type keyService struct{ aead cipher.AEAD }

func newKeyService(t *testing.T) keyService {
	t.Helper()
	key := make([]byte, 32)
	_, err := rand.Read(key)
	require.NoError(t, err)
	block, err := aes.NewCipher(key)
	require.NoError(t, err)
	aead, err := cipher.NewGCMWithRandomNonce(block)
	require.NoError(t, err)
	return keyService{aead: aead}
}

func (k keyService) Encrypt(_ context.Context, _ string, data []byte) (*service.EncryptResponse, error) {
	return &service.EncryptResponse{Ciphertext: k.aead.Seal(nil, nil, data, nil), KeyID: "key-1"}, nil
}

func (k keyService) Decrypt(_ context.Context, _ string, request *service.DecryptRequest) ([]byte, error) {
	return k.aead.Open(nil, nil, request.Ciphertext, nil)
}

func (keyService) Status(context.Context) (*service.StatusResponse, error) {
	return &service.StatusResponse{Version: "v2", Healthz: "ok", KeyID: "key-1"}, nil
}

// TestKeyManagementServiceInsteadOfSeeds migrates an installation from seeds to a KMS (v2).
func TestKeyManagementServiceInsteadOfSeeds(t *testing.T) {
	t.Parallel()
	// Socket paths are limited to approximately 100 bytes.
	dir, err := os.MkdirTemp("", "kms")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	socket := filepath.Join(dir, "s")
	kms := service.NewGRPCService(socket, 5*time.Second, newKeyService(t))
	served := make(chan error, 1)
	go func() { served <- kms.ListenAndServe() }()
	t.Cleanup(func() {
		kms.Shutdown()
		require.NoError(t, <-served)
	})
	config := framework.File(t, "encryption.yaml", fmt.Sprintf(`
apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources:
  - resources: ["*.*"]
    providers:
      - kms: {apiVersion: v2, name: test, endpoint: "unix://%s"}
`, socket), 0o600)

	i := setUp(t)
	i.apply(t, "first")
	server := i.Roadstead.APIServer()
	require.NoError(t, server.Stop())
	require.NoError(t, server.StartWith(t.Context(), "--encryption-provider-config="+config))
	require.NoError(t, i.Roadstead.AwaitAvailable(t.Context()))
	framework.Await(t, "the objects that the seeds wrote", func() error {
		_, _, err := i.TryKubectl(t, "", "get", "domains.takaro.roadstead.dev", "first")
		return err
	})
	i.requireReadable(t, "first")
	i.apply(t, "second")
	framework.Await(t, "everything to be written by the KMS", func() error {
		for key, value := range i.raw(t) {
			if !internal(key) && !strings.HasPrefix(value, "k8s:enc:kms:v2:test:") {
				return fmt.Errorf("%s: %.40q", key, value)
			}
		}
		return nil
	})
	i.requireReadable(t, "first")
	i.requireReadable(t, "second")
}
