// SPDX-License-Identifier: Apache-2.0

//go:build integration

package cluster

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/client/pkg/v3/transport"
	clientv3 "go.etcd.io/etcd/client/v3"
)

func TestEtcdClusterOutlivesAMember(t *testing.T) {
	e, err := StartEtcd(t.Context(), Options{Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Stop()) })
	require.Len(t, e.URLs(), 3)
	ca, cert, key := e.ClientFiles()
	tls, err := transport.TLSInfo{TrustedCAFile: ca, CertFile: cert, KeyFile: key}.ClientConfig()
	require.NoError(t, err)
	client, err := clientv3.New(clientv3.Config{Endpoints: e.URLs(), TLS: tls, DialTimeout: 10 * time.Second})
	require.NoError(t, err)
	defer func() { _ = client.Close() }()
	_, err = client.Put(t.Context(), "/a", "b")
	require.NoError(t, err)

	require.NoError(t, e.Members()[0].Kill())
	require.Eventually(t, func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		got, err := client.Get(ctx, "/a")
		return err == nil && len(got.Kvs) == 1
	}, 20*time.Second, 10*time.Millisecond)
	require.NoError(t, e.Members()[0].Start(t.Context()))

	stranger, err := transport.TLSInfo{TrustedCAFile: ca}.ClientConfig()
	require.NoError(t, err)
	refused, err := clientv3.New(clientv3.Config{Endpoints: e.URLs(), TLS: stranger})
	require.NoError(t, err)
	defer func() { _ = refused.Close() }()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	_, err = refused.Get(ctx, "/a")
	require.Error(t, err, "without a client certificate")
}

func TestEtcdCluster_StartsOthersWithItsCertificates(t *testing.T) {
	e, err := StartEtcd(t.Context(), Options{Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Stop()) })
	position := func(at *Component) (value string, header *etcdserverpb.ResponseHeader) {
		ca, cert, key := e.ClientFiles()
		tls, err := transport.TLSInfo{TrustedCAFile: ca, CertFile: cert, KeyFile: key}.ClientConfig()
		require.NoError(t, err)
		client, err := clientv3.New(clientv3.Config{Endpoints: []string{"https://" + at.Address()}, TLS: tls, DialTimeout: 10 * time.Second})
		require.NoError(t, err)
		defer func() { _ = client.Close() }()
		if at == e.Members()[0] {
			_, err = client.Put(t.Context(), "/a", "b")
			require.NoError(t, err)
		}
		got, err := client.Get(t.Context(), "/a")
		require.NoError(t, err)
		for _, kv := range got.Kvs {
			value = string(kv.Value)
		}
		return value, got.Header
	}
	_, right := position(e.Members()[0])
	single, err := e.StartSingle(t.Context(), "empty")
	require.NoError(t, err)
	value, header := position(single)
	require.Empty(t, value)
	require.NotEqual(t, right.ClusterId, header.ClusterId)

	other, err := e.StartCopy(t.Context(), "copy", e.Members()[0])
	require.NoError(t, err)
	value, header = position(other)
	require.Equal(t, "b", value)
	require.Equal(t, right.ClusterId, header.ClusterId)
	require.Equal(t, right.Revision, header.Revision)
	_, after := position(e.Members()[0])
	require.Equal(t, right.Revision+1, after.Revision, "the member serves again")
}

func TestEtcdClusterNeedsAFolder(t *testing.T) {
	_, err := StartEtcd(t.Context(), Options{})
	require.ErrorContains(t, err, "Options.Dir")
}
