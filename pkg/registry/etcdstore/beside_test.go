// SPDX-License-Identifier: Apache-2.0

package etcdstore

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/client/v3/kubernetes"
	"go.opentelemetry.io/otel/trace/noop"
	"k8s.io/apiserver/pkg/storage/storagebackend"

	"roadstead.dev/roadstead/pkg/storage/epoch"
	"roadstead.dev/roadstead/pkg/storage/epoch/epochtest"
	"roadstead.dev/roadstead/pkg/storage/etcd"
)

// newBesides gives what puts objects into an etcd, called directly or by a connection.
func newBesides(t *testing.T, direct bool) besides {
	t.Helper()
	server, err := etcd.Start(t.Context(), t.TempDir(), "error")
	require.NoError(t, err)
	t.Cleanup(server.Stop)
	config := storagebackend.NewDefaultConfig("/", nil)
	config.Transport.ServerList, config.Transport.TracerProvider = []string{server.Endpoint()}, noop.NewTracerProvider()
	var member pb.KVClient
	if direct {
		member = server.KV()
	}
	timeline := epoch.New("/registry", func(err error) { t.Error(err) })
	client, err := Dial(t.Context(), *config, member, timeline)
	require.NoError(t, err)
	epochtest.Open(t, timeline, client.Raw(), "/registry")
	t.Cleanup(func() { require.NoError(t, client.Close()) })
	b := &kubernetes.Client{Client: client.view()}
	b.Kubernetes = besides{b}
	return besides{b}
}

func TestARecordIsStoredWithItsObject(t *testing.T) {
	for name, direct := range map[string]bool{"direct": true, "by a connection": false} {
		t.Run(name, func(t *testing.T) {
			b := newBesides(t, direct)
			read := func(key string) (value string, revision int64) {
				found, err := b.Get(t.Context(), key, kubernetes.GetOptions{})
				require.NoError(t, err)
				if found.KV == nil {
					return "", 0
				}
				return string(found.KV.Value), found.KV.ModRevision
			}
			asked := 0
			refusal := errors.New("taken")
			var answer error
			put := func(key, value string, expected int64, record string) (kubernetes.PutResponse, error) {
				ctx := WithSlot(t.Context())
				if record != "" {
					SlotFrom(ctx).Put(&Beside{Key: record, Value: "of " + key, Otherwise: func(context.Context) error { asked++; return answer }})
				}
				return b.OptimisticPut(ctx, key, []byte(value), expected, kubernetes.PutOptions{GetOnFailure: true})
			}

			made, err := put("/a", "first", 0, "/claims/x")
			require.NoError(t, err)
			require.True(t, made.Succeeded)
			value, revision := read("/a")
			require.Equal(t, "first", value)
			require.Equal(t, made.Revision, revision)
			value, beside := read("/claims/x")
			require.Equal(t, "of /a", value)
			require.Equal(t, revision, beside, "one transaction")

			again, err := put("/a", "second", 0, "/claims/y")
			require.NoError(t, err)
			require.False(t, again.Succeeded)
			require.Equal(t, "first", string(again.KV.Value), "what is there is told")
			_, beside = read("/claims/y")
			require.Zero(t, beside, "no object, no record")
			require.Zero(t, asked)

			answer = refusal
			_, err = put("/b", "b", 0, "/claims/x")
			require.ErrorIs(t, err, refusal)
			_, revision = read("/b")
			require.Zero(t, revision)
			require.Equal(t, 1, asked)

			answer = nil
			made, err = put("/b", "b", 0, "/claims/x")
			require.NoError(t, err)
			require.True(t, made.Succeeded, "it was taken over")
			require.Equal(t, 2, asked)
			value, _ = read("/claims/x")
			require.Equal(t, "of /a", value, "whoever is asked changes the record")

			changed, err := put("/b", "changed", made.Revision, "/claims/z")
			require.NoError(t, err)
			require.True(t, changed.Succeeded)
			_, beside = read("/claims/z")
			require.Zero(t, beside, "a change stores no record")
			plain, err := put("/c", "c", 0, "")
			require.NoError(t, err)
			require.True(t, plain.Succeeded)
		})
	}
}

func TestAStoreThatIsNotThereIsAnError(t *testing.T) {
	config := storagebackend.NewDefaultConfig("/", nil)
	config.Transport.ServerList, config.Transport.TracerProvider = []string{"unix:///no/such/socket"}, noop.NewTracerProvider()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Dial(ctx, *config, nil, epoch.New("/registry", nil))
	require.ErrorContains(t, err, "etcd at [unix:///no/such/socket] could not be reached")
	config.Transport.CertFile, config.Transport.KeyFile = "/no/such", "/no/such"
	_, err = Dial(t.Context(), *config, nil, epoch.New("/registry", nil))
	require.ErrorContains(t, err, "etcd client certificate")
}
