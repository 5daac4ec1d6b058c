// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"roadstead.dev/roadstead/pkg/cli"
	"roadstead.dev/roadstead/pkg/controllers/takaro/domain"
	"roadstead.dev/roadstead/pkg/engine/netguard"
)

// parse returns the options of a command line and an environment.
func parse(t *testing.T, args ...string) (*Options, error) {
	t.Helper()
	o := NewOptions()
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	o.AddFlags(flags)
	require.NoError(t, flags.Parse(args))
	if err := cli.SetFromEnv(flags); err != nil {
		return nil, err
	}
	return o, o.Validate()
}

func TestDefaults(t *testing.T) {
	o, err := parse(t, "--namespace=roadstead-system")
	require.NoError(t, err)
	assert.Equal(t, ":8080", o.MetricsBindAddress)
	assert.True(t, o.LeaderElection)
	assert.Equal(t, []any{10.0, 20, time.Minute}, []any{o.TakaroQPS, o.TakaroBurst, o.TakaroComparePeriod})
	assert.Equal(t, 5*time.Minute, o.OrphanSweepWait)
	assert.Equal(t, []string{"takaro"}, o.AllowPrivate)
	assert.False(t, o.AllowLoopback)
	assert.Empty(t, o.Installation)
}

func TestEnvironment(t *testing.T) {
	t.Setenv("ROADSTEAD_TAKARO_QPS", "3.5")
	t.Setenv("ROADSTEAD_INSTALLATION", "from-env")
	t.Setenv("ROADSTEAD_LEADER_ELECT", "false")
	o, err := parse(t, "--namespace=x", "--installation=from-flag")
	require.NoError(t, err)
	assert.InDelta(t, 3.5, o.TakaroQPS, 0)
	assert.Equal(t, "from-flag", o.Installation, "the flag wins")
	assert.False(t, o.LeaderElection)

	t.Setenv("ROADSTEAD_TAKARO_QPS", "many")
	_, err = parse(t, "--namespace=x")
	assert.ErrorContains(t, err, "ROADSTEAD_TAKARO_QPS")
}

func TestValidate(t *testing.T) {
	for arg, says := range map[string]string{
		"--namespace=":                "--namespace",
		"--takaro-qps=0":              "--takaro-qps",
		"--takaro-burst=-1":           "--takaro-burst",
		"--takaro-compare-period=1ms": "--takaro-compare-period",
		"--orphan-sweep-wait=1ms":     "--orphan-sweep-wait",
		"--allow-private=redis":       `"redis"`,
		"--installation=a:b":          "--installation",
		"--log-level=loud":            "--log-level",
		"--redis-ports=redis":         "--redis-ports",
		"--redis-ports=0-100":         "--redis-ports",
	} {
		_, err := parse(t, "--namespace=x", arg)
		assert.ErrorContains(t, err, says)
	}
	_, err := parse(t, "--namespace=", "--takaro-qps=0", "--installation=:")
	assert.Len(t, strings.Split(err.Error(), "\n"), 3, "all errors at once")
}

func TestStaticEndpoint(t *testing.T) {
	static, err := staticEndpoint()
	require.NoError(t, err)
	assert.Nil(t, static)

	t.Setenv(envTakaroURL, "https://api.example\n")
	_, err = staticEndpoint()
	assert.ErrorContains(t, err, envTakaroToken)
	_, err = parse(t, "--namespace=x")
	assert.Error(t, err)

	t.Setenv(envTakaroToken, "a-secret\n")
	static, err = staticEndpoint()
	require.NoError(t, err)
	assert.Equal(t, "https://api.example a-secret", static.URL+" "+static.AdminToken)

	t.Setenv(envTakaroURL, "ftp://api.example")
	_, err = staticEndpoint()
	assert.ErrorContains(t, err, envTakaroURL)
	assert.NotContains(t, err.Error(), "a-secret")
}

func TestInstallation(t *testing.T) {
	system := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "kube-system", UID: "a-uid"}}
	name, err := (&Options{}).installation(t.Context(), fake.NewClientBuilder().WithObjects(system).Build())
	require.NoError(t, err)
	assert.Equal(t, domain.InstallationFor("a-uid"), name)
	name, err = (&Options{Installation: "given"}).installation(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, "given", name)
	_, err = (&Options{}).installation(t.Context(), fake.NewClientBuilder().Build())
	assert.ErrorContains(t, err, "--installation")
}

func TestManagerOptions(t *testing.T) {
	kinds, err := newScheme()
	require.NoError(t, err)
	o := &Options{Namespace: "ns", MetricsBindAddress: ":1", LeaderElection: true}
	got := o.managerOptions(kinds, &health{})
	assert.Equal(t, ":1", got.Metrics.BindAddress)
	assert.Contains(t, got.Metrics.ExtraHandlers, "/healthz")
	assert.Contains(t, got.Metrics.ExtraHandlers, "/readyz")
	assert.Equal(t, "ns roadstead-controller", got.LeaderElectionNamespace+" "+got.LeaderElectionID)
	o.MetricsBindAddress = ""
	assert.Equal(t, "0", o.managerOptions(kinds, &health{}).Metrics.BindAddress, "off")
}

// The API server may be replaced while the controller is running.
func TestPoliciesFollowTheAPIServer(t *testing.T) {
	own := []netip.AddrPort{netip.MustParseAddrPort("172.18.0.2:6443")}
	addresses := func() ([]netip.AddrPort, bool) { return own, own != nil }
	o := &Options{AllowPrivate: []string{engineTakaro, engineCharts}}
	for name, policy := range map[string]netguard.Policy{"takaro": o.dialPolicy(addresses), "charts": o.chartsPolicy(addresses)} {
		require.True(t, netguard.IsRefused(policy.Check(netip.MustParseAddrPort("172.18.0.2:6443"))), name)
		require.NoError(t, policy.Check(netip.MustParseAddrPort("172.18.0.3:6443")), name)
		own = []netip.AddrPort{netip.MustParseAddrPort("172.18.0.3:6443")}
		require.True(t, netguard.IsRefused(policy.Check(netip.MustParseAddrPort("172.18.0.3:6443"))), name)
		own = nil
		require.ErrorIs(t, policy.Check(netip.MustParseAddrPort("8.8.8.8:443")), netguard.ErrOwnUnknown, name)
		own = []netip.AddrPort{netip.MustParseAddrPort("172.18.0.2:6443")}
	}
	require.NoError(t, o.dialPolicy(nil).Check(netip.MustParseAddrPort("172.18.0.2:6443")), "without a cluster")
}
