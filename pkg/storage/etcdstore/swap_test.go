// SPDX-License-Identifier: Apache-2.0

package etcdstore

import (
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.opentelemetry.io/otel/trace/noop"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"

	"roadstead.dev/roadstead/pkg/apis/takaro"
	"roadstead.dev/roadstead/pkg/apis/takaro/install"
	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/storage/epoch"
	"roadstead.dev/roadstead/pkg/storage/epoch/epochtest"
)

const swapPrefix = "/takaro/domains"

// swapping is an etcd at one address whose data folder can be exchanged, and a cached storage that uses it.
type swapping struct {
	t       *testing.T
	sockets string
	etcd    *embed.Etcd
	storage.Interface
	timeline *epoch.Timeline
	foreign  chan error
}

func newSwapping(t *testing.T, dir string) *swapping {
	t.Helper()
	sockets, err := os.MkdirTemp("", "swap-") // the path of a socket may have about 100 bytes
	require.NoError(t, err)
	s := &swapping{t: t, sockets: sockets, foreign: make(chan error, 1)}
	s.start(dir)
	t.Cleanup(func() {
		s.stop()
		_ = os.RemoveAll(sockets)
	})
	scheme := runtime.NewScheme()
	install.Install(scheme)
	config := storagebackend.NewDefaultConfig("/registry/test", serializer.NewCodecFactory(scheme).LegacyCodec(v1alpha1.SchemeGroupVersion))
	config.EncodeVersioner = v1alpha1.SchemeGroupVersion
	config.Transport.ServerList = []string{"unix://" + filepath.Join(sockets, "client")}
	config.Transport.TracerProvider = noop.NewTracerProvider()
	config.CompactionInterval = 0
	s.timeline = epoch.New(config.Prefix, func(err error) { s.foreign <- err })
	client, err := Dial(t.Context(), *config, nil, s.timeline)
	require.NoError(t, err)
	t.Cleanup(func() { _ = client.Close() })
	epochtest.Open(t, s.timeline, client.Raw(), config.Prefix)
	attributes := func(object runtime.Object) (labels.Set, fields.Set, error) {
		return nil, fields.Set{"metadata.name": object.(*takaro.Domain).Name}, nil
	}
	key := func(object runtime.Object) (string, error) {
		return registry.NoNamespaceKeyFunc(context.Background(), swapPrefix, object.(*takaro.Domain).Name)
	}
	cached, destroy, err := Getter{Client: client}.cached(config.ForResource(takaro.Resource("domains")), swapPrefix, key,
		func() runtime.Object { return &takaro.Domain{} }, func() runtime.Object { return &takaro.DomainList{} }, attributes, nil, nil)
	require.NoError(t, err)
	t.Cleanup(destroy)
	s.Interface = cached
	return s
}

func (s *swapping) stop() {
	if s.etcd != nil {
		s.etcd.Close()
		s.etcd = nil
	}
}

// start serves a data folder at the address, instead of the one that was served before.
func (s *swapping) start(dir string) {
	s.t.Helper()
	s.stop()
	client, peer := filepath.Join(s.sockets, "client"), filepath.Join(s.sockets, "peer")
	_, _ = os.Remove(client), os.Remove(peer)
	config := embed.NewConfig()
	config.Name, config.Dir, config.LogLevel = "swap", dir, "panic"
	at := []url.URL{{Scheme: "unix", Path: client}}
	config.ListenClientUrls, config.AdvertiseClientUrls = at, at
	config.ListenPeerUrls, config.AdvertisePeerUrls = []url.URL{{Scheme: "unix", Host: peer}}, []url.URL{{Scheme: "unix", Path: peer}}
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	config.WatchProgressNotifyInterval = time.Second
	etcd, err := embed.StartEtcd(config)
	require.NoError(s.t, err)
	select {
	case <-etcd.Server.ReadyNotify():
	case <-time.After(time.Minute):
		s.t.Fatal("etcd does not start")
	}
	s.etcd = etcd
}

// create stores objects, with retries while the client connects again.
func (s *swapping) create(names ...string) {
	s.t.Helper()
	for _, name := range names {
		object := &takaro.Domain{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name)}}
		require.EventuallyWithT(s.t, func(c *assert.CollectT) {
			require.NoError(c, s.Create(s.t.Context(), swapPrefix+"/"+name, object, &takaro.Domain{}, 0))
		}, time.Minute, 50*time.Millisecond)
	}
}

func (s *swapping) list(options storage.ListOptions) ([]string, error) {
	ctx, cancel := context.WithTimeout(s.t.Context(), 5*time.Second)
	defer cancel()
	options.Recursive, options.Predicate = true, storage.Everything
	found := &takaro.DomainList{}
	err := s.GetList(ctx, swapPrefix+"/", options, found)
	names := make([]string, 0, len(found.Items))
	for _, item := range found.Items {
		names = append(names, item.Name)
	}
	return names, err
}

// TestCache_OlderCopy exchanges the etcd below a watch cache for an older copy, which may have grown past what was known
// since. Nothing is answered from it, and what the cache holds is not mixed with it.
func TestCache_OlderCopy(t *testing.T) {
	for name, grown := range map[string]bool{"older": false, "grown past": true} {
		t.Run(name, func(t *testing.T) {
			base := t.TempDir()
			now, older := filepath.Join(base, "now"), filepath.Join(base, "older")
			s := newSwapping(t, now)
			s.create("old")
			s.stop()
			require.NoError(t, os.CopyFS(older, os.DirFS(now)))
			s.start(now)
			s.create("newer-1", "newer-2", "newer-3")
			s.tick()
			require.NoError(t, s.Get(t.Context(), swapPrefix+"/old", storage.GetOptions{}, &takaro.Domain{}), "the tick is known")
			if grown {
				s.grow(older)
			}
			s.start(older)

			all := []string{"newer-1", "newer-2", "newer-3", "old"}
			for _, options := range []storage.ListOptions{{}, {ResourceVersion: "0"}} {
				if names, err := s.list(options); err == nil {
					require.Equal(t, all, names, "resourceVersion %q", options.ResourceVersion)
				}
			}
			err := s.Get(t.Context(), swapPrefix+"/newer-1", storage.GetOptions{}, &takaro.Domain{})
			require.Error(t, err)
			require.False(t, storage.IsNotFound(err), "%v", err)
			require.Error(t, s.Create(t.Context(), swapPrefix+"/after", &takaro.Domain{ObjectMeta: metav1.ObjectMeta{Name: "after", UID: "a"}},
				&takaro.Domain{}, 0))
			select {
			case err = <-s.foreign:
			case <-time.After(time.Minute):
				t.Fatal("nobody is told")
			}
			var foreign *epoch.ForeignError
			require.True(t, errors.As(err, &foreign), "%v", err)
		})
	}
}

// tick confirms what was written, as the server does from time to time.
func (s *swapping) tick() {
	s.t.Helper()
	client := s.client("unix://" + filepath.Join(s.sockets, "client"))
	_, err := client.Put(s.t.Context(), epoch.TickKey("/registry/test"), epoch.EncodeTick(2))
	require.NoError(s.t, err)
}

// grow writes to a data folder that nobody uses until its revision is higher than that of any other.
func (s *swapping) grow(dir string) {
	s.t.Helper()
	served := s.sockets
	s.sockets = s.t.TempDir()
	s.start(dir)
	client := s.client("unix://" + filepath.Join(s.sockets, "client"))
	s.sockets = served
	for range 50 {
		_, err := client.Put(s.t.Context(), "/registry/other", "value")
		require.NoError(s.t, err)
	}
}

func (s *swapping) client(endpoint string) *clientv3.Client {
	s.t.Helper()
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{endpoint}, DialTimeout: 10 * time.Second})
	require.NoError(s.t, err)
	s.t.Cleanup(func() { _ = client.Close() })
	return client
}
