// SPDX-License-Identifier: Apache-2.0

package options

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apiserver/pkg/features"
	baseversion "k8s.io/component-base/version"

	"roadstead.dev/roadstead/pkg/apis/takaro"
	"roadstead.dev/roadstead/pkg/apiserver"
	"roadstead.dev/roadstead/pkg/cli"
)

// TestStoragePathIsPinned: another path would be a silent loss of all data.
func TestStoragePathIsPinned(t *testing.T) {
	options := New()
	require.Equal(t, "/registry/roadstead.dev", options.Etcd.StorageConfig.Prefix)
	factory := newStorageFactory(options.Etcd.StorageConfig, options.Etcd.DefaultStorageMediaType, apiserver.DefaultResources())
	require.Equal(t, "takaro.roadstead.dev/domains", factory.ResourcePrefix(takaro.Resource("domains")))
	config, err := factory.NewConfig(takaro.Resource("domains"), nil)
	require.NoError(t, err)
	require.Equal(t, "/registry/roadstead.dev", config.Prefix)
	require.Equal(t, "application/vnd.kubernetes.protobuf", options.Etcd.DefaultStorageMediaType)
}

func TestFeaturesGoByTheVersionOfTheLibraries(t *testing.T) {
	run := New().ServerRun
	version := run.ComponentGlobalsRegistry.EffectiveVersionFor(run.ComponentName)
	require.Equal(t, baseversion.DefaultKubeBinaryVersion, version.EmulationVersion().String())
	require.Equal(t, baseversion.DefaultKubeBinaryVersion, version.BinaryVersion().String())
	gate := run.ComponentGlobalsRegistry.FeatureGateFor(run.ComponentName)
	require.True(t, gate.Enabled(features.WatchList))
	require.False(t, gate.Enabled(features.EtcdRangeStream), "its answers cannot be checked")
	require.Contains(t, gate.KnownFeatures(), "EtcdRangeStream=true|false (BETA - default=false)")
	require.Empty(t, run.ComponentGlobalsRegistry.Validate())
	require.Equal(t, watchGrace, run.ShutdownWatchTerminationGracePeriod)
	require.Zero(t, run.GoawayChance, "one replica has nobody to share the load with, and each GOAWAY can cost a write")
}

func TestValidate(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*Options)
		want   string
	}{
		"defaults": {func(*Options) {}, ""},
		"embedded and another": {func(o *Options) { o.Etcd.StorageConfig.Transport.ServerList = []string{"embedded", "http://a"} },
			"cannot be combined with URLs"},
		"no data folder": {func(o *Options) { o.DataDir = "" }, "--data-dir"},
		"no folder needed": {func(o *Options) {
			o.DataDir, o.Etcd.StorageConfig.Transport.ServerList = "", []string{"http://127.0.0.1:2379"}
		}, ""},
		"no questions":     {func(o *Options) { o.Authorization.QPS = 0 }, "--authorization-qps"},
		"no reviews":       {func(o *Options) { o.Authorization.CallerQPS = 0 }, "--authorization-qps-per-caller"},
		"guard off":        {func(o *Options) { o.CRDGuard.Policy = "Off" }, "roadstead.dev/crd-policy=Off"},
		"guard hasty":      {func(o *Options) { o.CRDGuard.LiveBudget = 0 }, "--crd-guard-live-budget"},
		"log level":        {func(o *Options) { o.Logging.Level = "loud" }, "--log-level"},
		"unknown resource": {func(o *Options) { o.APIEnablement.RuntimeConfig = map[string]string{"nonsense/v1": "true"} }, "nonsense"},
	} {
		t.Run(name, func(t *testing.T) {
			options := New()
			tc.change(options)
			err := options.Complete().Validate()
			if tc.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tc.want)
		})
	}
}

func TestOneKubeconfigServesAllUses(t *testing.T) {
	options := New()
	options.CoreAPI.CoreAPIKubeconfigPath = "/a"
	options.Authz.RemoteKubeConfigFile = "/b"
	completed := options.Complete()
	require.Equal(t, "/a", completed.Authn.RemoteKubeConfigFile)
	require.Equal(t, "/b", completed.Authz.RemoteKubeConfigFile)
	require.True(t, completed.Embedded())
	require.Equal(t, cli.DefaultNamespace, completed.Namespace)
}

func TestEtcdLogLevel(t *testing.T) {
	require.Equal(t, []string{"info", "warn", "warn", "error"}, []string{etcdLogLevel("debug"), etcdLogLevel("info"),
		etcdLogLevel("warning"), etcdLogLevel("error")})
}
