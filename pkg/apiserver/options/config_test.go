// SPDX-License-Identifier: Apache-2.0

package options

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apiserver/pkg/authentication/authenticatorfactory"
	"k8s.io/apiserver/pkg/authentication/request/headerrequest"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"

	"roadstead.dev/roadstead/pkg/apiserver"
)

type noCA struct {
	dynamiccertificates.CAContentProvider
}

func (noCA) CurrentCABundleContent() []byte { return nil }

func TestAwaitFrontProxy_KeepsTheServerUnready(t *testing.T) {
	config := genericapiserver.NewRecommendedConfig(apiserver.Codecs)
	before := len(config.ReadyzChecks)
	require.Nil(t, awaitFrontProxy(config), "the flags say to run without an aggregation layer")
	require.Len(t, config.ReadyzChecks, before)

	config.Authentication.RequestHeaderConfig = &authenticatorfactory.RequestHeaderConfig{
		CAContentProvider: noCA{}, UsernameHeaders: headerrequest.StaticStringSlice{"X-Remote-User"},
	}
	require.NotNil(t, awaitFrontProxy(config))
	require.Len(t, config.ReadyzChecks, before+1)
	check := config.ReadyzChecks[before]
	require.Equal(t, "front-proxy-ca", check.Name())
	require.Error(t, check.Check(nil))
}

func TestComplete_ChangesNothingTheSecondTime(t *testing.T) {
	options := New()
	options.CoreAPI.CoreAPIKubeconfigPath = "/kubeconfig"
	completed := options.Complete()
	require.Equal(t, completed, completed.Complete())
	require.Equal(t, completed, options.Complete())
	require.Empty(t, options.Authn.RemoteKubeConfigFile, "the flags stay as they were set")
	require.Empty(t, options.Authz.RemoteKubeConfigFile, "the flags stay as they were set")
	require.Empty(t, options.ControllerUser, "the flags stay as they were set")
}
