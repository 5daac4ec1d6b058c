// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"roadstead.dev/roadstead/pkg/cli"
	"roadstead.dev/roadstead/pkg/controllers/base/fence"
	"roadstead.dev/roadstead/pkg/controllers/base/servertime"
	"roadstead.dev/roadstead/pkg/controllers/secrets"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/controllers/takaro/mockserver"
	"roadstead.dev/roadstead/pkg/engine/takaro"
	"roadstead.dev/roadstead/pkg/util/names"
)

// Name is the controller's name in logs, events and its Lease.
const Name = names.Controller

// The engines that --allow-private accepts.
const (
	engineTakaro = "takaro"
	engineCharts = "charts"
)

var engines = []string{engineTakaro, engineCharts}

// Environment variables that define an additional Takaro endpoint. There is no flag for the token,
// because command lines are visible to other users.
const (
	envTakaroURL   = "TAKARO_API_URL"
	envTakaroToken = "TAKARO_API_TOKEN"
)

// Options are the flags of the controller.
type Options struct {
	Logging *cli.Logging
	// Kubeconfig is the path of a kubeconfig file. It is empty inside a pod.
	Kubeconfig string
	// Namespace is the namespace of the installation.
	Namespace string
	// SecretNamespaces are the namespaces, in addition to Namespace, in which Secrets may be used.
	// Empty means all.
	SecretNamespaces []string
	// usableNamespaces are Namespace and those of SecretNamespaces that the controller has access
	// to. Nil means all.
	usableNamespaces []string
	// MetricsBindAddress is the address of /metrics, /healthz and /readyz. Empty disables it.
	MetricsBindAddress string
	// LeaderElection enables leader election, so that only one replica is active.
	LeaderElection bool
	// fence blocks changes while the Lease may be lost. It is nil without leader election.
	fence *fence.Fence
	// serverTime follows the clock of roadstead-apiserver.
	serverTime *servertime.Clock
	// Installation is part of every generated Takaro reference. If it is empty, it is derived from
	// the cluster.
	Installation string
	// TakaroQPS and TakaroBurst limit the requests to each Takaro endpoint.
	TakaroQPS   float64
	TakaroBurst int
	// TakaroComparePeriod is the time between comparisons with Takaro.
	TakaroComparePeriod time.Duration
	// MockServerImage is the image of mock game servers whose spec sets none.
	MockServerImage string
	// MockServerUnreachableAfter is how long a game server may be unreachable before its pod is
	// restarted.
	MockServerUnreachableAfter time.Duration
	// BundledRedis is the host of the Redis that is part of the installation. It is empty if there
	// is none.
	BundledRedis string
	// RedisPorts are the ports, and ranges of ports, that spec.redis of a MockServer may use.
	RedisPorts []string
	// OrphanSweepWait is how long a namespace must have been absent before objects in it are
	// deleted.
	OrphanSweepWait time.Duration
	// AllowPrivate names the engines that may connect to private addresses.
	AllowPrivate []string
	// AllowLoopback allows engines to connect to loopback addresses.
	AllowLoopback bool
	// Groups are the API groups whose controllers run.
	Groups []string
	// Decisions configures the controllers of Approvals and missed changes.
	Decisions decisionOptions
	// Operators configures the controllers of Operators and their charts.
	Operators operatorOptions
}

// NewOptions returns the defaults.
func NewOptions() *Options {
	return &Options{
		Logging:             cli.NewLogging(),
		Namespace:           cli.InstallationNamespace(),
		MetricsBindAddress:  ":8080",
		LeaderElection:      true,
		TakaroQPS:           10,
		TakaroBurst:         20,
		TakaroComparePeriod: time.Minute,
		OrphanSweepWait:     5 * time.Minute,
		AllowPrivate:        []string{engineTakaro},
		Groups:              slices.Clone(groups),
		Decisions:           newDecisionOptions(),
		Operators:           newOperatorOptions(),

		RedisPorts:                 []string{mockserver.DefaultRedisPorts},
		MockServerImage:            mockserver.DefaultImage,
		MockServerUnreachableAfter: mockserver.DefaultUnreachableAfter,
	}
}

// AddFlags adds every flag.
func (o *Options) AddFlags(flags *pflag.FlagSet) {
	o.Logging.AddFlags(flags)
	flags.StringVar(&o.Kubeconfig, "kubeconfig", o.Kubeconfig, "Kubeconfig of the cluster. Default: the pod's ServiceAccount.")
	flags.StringVar(&o.Namespace, "namespace", o.Namespace, "Namespace of the installation: its Lease and its Secrets with Takaro endpoints.")
	flags.StringSliceVar(&o.SecretNamespaces, "secret-namespaces", o.SecretNamespaces, "Namespaces in which Secrets may be used, "+
		"in addition to that of the installation. Objects that need a Secret of another namespace get the reason NamespaceNotServed. "+
		"Each namespace needs a RoleBinding of the ClusterRole "+secrets.BoundClusterRole+". Empty: all namespaces.")
	flags.StringVar(&o.MetricsBindAddress, "metrics-bind-address", o.MetricsBindAddress,
		"Address that serves /metrics, /healthz and /readyz. Empty: off.")
	flags.BoolVar(&o.LeaderElection, "leader-elect", o.LeaderElection, "Work only while holding the Lease "+Name+
		", so that replicas may wait in reserve.")
	flags.StringVar(&o.Installation, "installation", o.Installation, "Name of this installation in the externalReference of Takaro "+
		"domains. Default: derived from the cluster, the same after a reinstallation.")
	flags.Float64Var(&o.TakaroQPS, "takaro-qps", o.TakaroQPS, "Requests per second to Takaro with each of the installation's "+
		"credentials. Credentials of namespaces have as many for each host, all together.")
	flags.IntVar(&o.TakaroBurst, "takaro-burst", o.TakaroBurst, "Requests at once to each Takaro endpoint.")
	flags.DurationVar(&o.TakaroComparePeriod, "takaro-compare-period", o.TakaroComparePeriod,
		"Time between comparisons with Takaro, by one list per endpoint.")
	flags.StringVar(&o.MockServerImage, "mock-server-image", o.MockServerImage, "Image of mock game servers whose spec names none.")
	flags.DurationVar(&o.MockServerUnreachableAfter, "mock-server-unreachable-after", o.MockServerUnreachableAfter,
		"How long Takaro may not reach a mock game server whose pod is up before the pod is restarted. Each restart that does not "+
			"help doubles it, up to 30m.")
	flags.StringVar(&o.BundledRedis, "bundled-redis", o.BundledRedis,
		"Host name of the Redis that is installed beside this controller: its login, the Secret "+mockserver.BundledRedisSecret+
			", is made with a random password unless it is there. Empty: none is made.")
	flags.StringSliceVar(&o.RedisPorts, "redis-ports", o.RedisPorts,
		"Ports, and ranges of ports, that spec.redis of a MockServer may name. Empty: none. The shared Redis may have any port.")
	flags.DurationVar(&o.OrphanSweepWait, "orphan-sweep-wait", o.OrphanSweepWait,
		"How long a namespace must have been absent before objects that are left in it are deleted.")
	flags.StringSliceVar(&o.AllowPrivate, "allow-private", o.AllowPrivate, "Engines that may connect to private addresses: "+
		strings.Join(engines, ", ")+".")
	flags.StringSliceVar(&o.Groups, "groups", o.Groups, "API groups whose controllers run: "+strings.Join(groups, ", ")+
		". Name only those that are served: an installation that has nothing but the guard of CustomResourceDefinitions needs "+groupRelease+".")
	o.Decisions.addFlags(flags)
	o.Operators.addFlags(flags)
	flags.BoolVar(&o.AllowLoopback, "allow-loopback", o.AllowLoopback, "Let engines connect to this machine. For tests and demo only.")
}

// Validate returns all errors of the options.
func (o *Options) Validate() error {
	errs := o.Logging.Validate()
	if o.Namespace == "" {
		errs = append(errs, errors.New("--namespace: may not be empty"))
	}
	errs = append(errs, validateSecretNamespaces(o.SecretNamespaces)...)
	if o.TakaroQPS <= 0 || o.TakaroBurst <= 0 {
		errs = append(errs, errors.New("--takaro-qps and --takaro-burst: must be greater than 0"))
	}
	if o.TakaroComparePeriod < time.Second {
		errs = append(errs, errors.New("--takaro-compare-period: must be 1s or more"))
	}
	if o.MockServerImage == "" {
		errs = append(errs, errors.New("--mock-server-image: may not be empty"))
	}
	if o.MockServerUnreachableAfter < time.Second {
		errs = append(errs, errors.New("--mock-server-unreachable-after: must be 1s or more"))
	}
	if o.OrphanSweepWait < time.Second {
		errs = append(errs, errors.New("--orphan-sweep-wait: must be 1s or more"))
	}
	for _, engine := range o.AllowPrivate {
		if !slices.Contains(engines, engine) {
			errs = append(errs, fmt.Errorf("--allow-private: %q is none of %s", engine, strings.Join(engines, ", ")))
		}
	}
	if _, err := mockserver.ParseRedisPorts(o.RedisPorts); err != nil {
		errs = append(errs, fmt.Errorf("--redis-ports: %w", err))
	}
	errs = append(errs, validateGroups(o.Groups)...)
	errs = append(errs, o.Decisions.validate()...)
	errs = append(errs, o.Operators.validate()...)
	if strings.Contains(o.Installation, ":") {
		errs = append(errs, errors.New("--installation: may not contain a colon"))
	}
	if _, err := staticEndpoint(); err != nil {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// staticEndpoint returns the endpoint of the environment, or nil if there is none.
func staticEndpoint() (*endpoint.Static, error) {
	url, token := strings.TrimSpace(os.Getenv(envTakaroURL)), strings.TrimSpace(os.Getenv(envTakaroToken))
	if url == "" && token == "" {
		return nil, nil
	}
	if url == "" || token == "" {
		return nil, fmt.Errorf("the environment sets one of %s and %s: set both or none", envTakaroURL, envTakaroToken)
	}
	if _, err := takaro.NormalizeURL(url); err != nil {
		return nil, fmt.Errorf("%s in the environment: %w", envTakaroURL, err)
	}
	return &endpoint.Static{URL: url, AdminToken: token}, nil
}
