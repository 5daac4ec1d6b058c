// SPDX-License-Identifier: Apache-2.0

//go:build integration

package encryption

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/install"
)

const ciphertext = "k8s:enc:roadstead:v1:"

// TestSeedsAreRotatedWithoutDowntime rotates the seeds as docs/operations.md describes, during
// reads and writes.
func TestSeedsAreRotatedWithoutDowntime(t *testing.T) {
	t.Parallel()
	i := setUp(t)
	i.apply(t, "first")
	for key, value := range i.raw(t) {
		if internal(key) {
			continue
		}
		require.True(t, strings.HasPrefix(value, ciphertext), "%s is not encrypted: %.40q", key, value)
		require.NotContains(t, value, "PLAINTEXT", key)
	}
	i.requireReadable(t, "first")

	ended := i.work(t)
	seeds := i.seeds(t)
	fresh := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{42}, 32))
	i.setSeeds(t, seeds[0], fresh)
	i.awaitSeeds(t, 1, 1)
	before := i.writes(t)
	i.setSeeds(t, fresh, seeds[0])
	framework.Await(t, "the first seed to be another one", func() error {
		if i.writes(t) == before {
			return fmt.Errorf("%s still writes", before)
		}
		return nil
	})
	writing := i.writes(t)
	framework.Await(t, "nothing in etcd that the old seed wrote", func() error {
		for key, value := range i.raw(t) {
			if !internal(key) && !strings.HasPrefix(value, ciphertext+writing) {
				return fmt.Errorf("%s: %.40q", key, value)
			}
		}
		return nil
	})
	framework.Await(t, "the record that nothing needs the old seed", func() error {
		if marked := i.raw(t)[prefix+"__encryption"]; marked != ciphertext+writing+":" {
			return fmt.Errorf("__encryption is %q", marked)
		}
		return nil
	})
	i.setSeeds(t, fresh)
	i.awaitSeeds(t, 1, 0)
	i.requireReadable(t, "first")
	ended()

	// The old seed is deleted: a server that starts now has only the new one.
	require.NoError(t, i.Roadstead.APIServer().Stop())
	require.NoError(t, i.Roadstead.APIServer().Start(t.Context()))
	require.NoError(t, i.Roadstead.AwaitAvailable(t.Context()))
	framework.Await(t, "the API after a restart", func() error {
		_, err := i.client.TakaroV1alpha1().Domains("default").List(t.Context(), metav1.ListOptions{})
		return err
	})
	i.requireReadable(t, "first")
	i.loseSeed(t, fresh)
}

// loseSeed replaces the only seed. A running server restores it. A server that starts responds with
// 503 and an instruction until the seed is restored.
func (i *installed) loseSeed(t *testing.T, lost string) {
	t.Helper()
	require.NoError(t, i.Admin.CoreV1().Secrets(install.Namespace).Delete(t.Context(), "roadstead-encryption", metav1.DeleteOptions{}))
	framework.Await(t, "the deleted Secret", func() error {
		secret, err := i.Admin.CoreV1().Secrets(install.Namespace).Get(t.Context(), "roadstead-encryption", metav1.GetOptions{})
		if err == nil && strings.TrimSpace(string(secret.Data["seeds"])) != lost {
			err = errors.New("another seed was restored")
		}
		return err
	})
	require.NoError(t, i.Roadstead.APIServer().Stop())
	i.setSeeds(t, base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32)))
	require.NoError(t, i.Roadstead.APIServer().Start(t.Context()), "it is ready, so that discovery is served")
	require.NoError(t, i.Roadstead.AwaitAvailable(t.Context()))
	for _, kind := range kinds {
		framework.Await(t, "503 for "+kind, func() error {
			_, stderr, err := i.TryKubectl(t, "", "get", kind+".takaro.roadstead.dev", "-n", "default")
			if err == nil {
				return errors.New("it was answered")
			}
			if !strings.Contains(stderr, "ServiceUnavailable") || !strings.Contains(stderr, "Restore the Secret from a backup") {
				return fmt.Errorf("it failed otherwise: %s", stderr)
			}
			return nil
		})
		_, err := i.client.TakaroV1alpha1().RESTClient().Get().Namespace("default").Resource(kind).Name("absent").DoRaw(t.Context())
		require.True(t, apierrors.IsServiceUnavailable(err), "never a 404: %v", err)
	}
	require.Contains(t, i.Kubectl(t, "", "api-resources", "--api-group=takaro.roadstead.dev"), "domains")
	i.setSeeds(t, base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32)), lost)
	framework.Await(t, "the objects after the seed is back", func() error {
		_, err := i.client.TakaroV1alpha1().Domains("default").Get(t.Context(), "first", metav1.GetOptions{})
		return err
	})
	i.requireReadable(t, "first")
}

// work reads and writes until the returned function is called, which requires that no request
// failed.
func (i *installed) work(t *testing.T) (end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	var count int
	wg.Go(func() {
		domains := i.client.TakaroV1alpha1().Domains("default")
		for ; ctx.Err() == nil; count++ {
			_, err := domains.Patch(ctx, "first", "application/merge-patch+json", fmt.Appendf(nil, `{"metadata":{"labels":{"count":"%d"}}}`,
				count), metav1.PatchOptions{})
			if ctx.Err() == nil {
				assert.NoError(t, err)
			}
			_, err = domains.List(ctx, metav1.ListOptions{})
			if ctx.Err() == nil {
				assert.NoError(t, err)
			}
		}
	})
	return func() {
		cancel()
		wg.Wait()
		require.Greater(t, count, 10)
	}
}

func (i *installed) seeds(t *testing.T) []string {
	t.Helper()
	secret, err := i.Admin.CoreV1().Secrets(install.Namespace).Get(t.Context(), "roadstead-encryption", metav1.GetOptions{})
	require.NoError(t, err)
	return strings.Fields(string(secret.Data["seeds"]))
}

func (i *installed) setSeeds(t *testing.T, seeds ...string) {
	t.Helper()
	secrets := i.Admin.CoreV1().Secrets(install.Namespace)
	secret, err := secrets.Get(t.Context(), "roadstead-encryption", metav1.GetOptions{})
	require.NoError(t, err)
	secret.Data["seeds"] = []byte(strings.Join(seeds, "\n"))
	_, err = secrets.Update(t.Context(), secret, metav1.UpdateOptions{})
	require.NoError(t, err)
}

// awaitSeeds waits until the metric of the server shows the numbers of seeds for writes and reads.
func (i *installed) awaitSeeds(t *testing.T, write, read int) {
	t.Helper()
	framework.Await(t, "the seeds in the metric", func() error {
		text := i.metrics(t)
		if w, r := strings.Count(text, `use="write"} 1`), strings.Count(text, `use="read"} 1`); w != write || r != read {
			return fmt.Errorf("%d write, %d read", w, r)
		}
		return nil
	})
}

// writes returns the name of the seed that the server uses for writes.
func (i *installed) writes(t *testing.T) string {
	t.Helper()
	found := regexp.MustCompile(`seed="([0-9a-f]+)",use="write"} 1`).FindStringSubmatch(i.metrics(t))
	require.NotNil(t, found)
	return found[1]
}

func (i *installed) metrics(t *testing.T) string {
	t.Helper()
	client, err := kubernetes.NewForConfig(i.Direct(i.Roadstead.APIServerAddr()))
	require.NoError(t, err)
	text, err := client.Discovery().RESTClient().Get().AbsPath("/metrics").DoRaw(t.Context())
	require.NoError(t, err)
	return string(text)
}
