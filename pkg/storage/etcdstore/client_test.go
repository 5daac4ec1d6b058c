// SPDX-License-Identifier: Apache-2.0

package etcdstore

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/trace/noop"
	"k8s.io/apiserver/pkg/storage/storagebackend"

	"roadstead.dev/roadstead/pkg/storage/epoch"
)

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
