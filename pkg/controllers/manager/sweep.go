// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/cli"
	"roadstead.dev/roadstead/pkg/controllers/takaro/sweep"
	"roadstead.dev/roadstead/pkg/engine/takaro"
	"roadstead.dev/roadstead/pkg/util/apiaddresses"
)

// sweepOptions are the flags of takaro-sweep.
type sweepOptions struct {
	*Options
	endpoint    string
	remove      bool
	count       int
	lostCluster bool
	// sleep replaces the actual sleep in tests.
	sleep func(context.Context, time.Duration) error
}

// newSweepCommand returns the command takaro-sweep.
func newSweepCommand() *cobra.Command {
	return (&sweepOptions{Options: NewOptions()}).command()
}

func (o *sweepOptions) command() *cobra.Command {
	command := &cobra.Command{
		Use:   "takaro-sweep",
		Short: "List or delete Takaro domains of an installation that no Domain uses",
		Long: "takaro-sweep lists the domains in Takaro that an installation created (externalReference roadstead:<installation>:…) and\n" +
			"that no Domain uses, for example after a cluster or its store was lost. Domains that are recorded in the status of a\n" +
			"Domain or TakaroEndpoint are spared. The cluster must have a TakaroEndpoint of the installation and the address, and the\n" +
			"anchor in its status must be that in Takaro. With --delete it deletes the domains that it lists. The admin token is taken\n" +
			"from " + envTakaroToken + ".",
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(command *cobra.Command, _ []string) error {
			if err := cli.SetFromEnv(command.Flags()); err != nil {
				return err
			}
			return o.run(command)
		},
	}
	flags := command.Flags()
	flags.StringVar(&o.endpoint, "endpoint", "", "Address of the Takaro API, as in spec.url of the TakaroEndpoint. Required.")
	flags.StringVar(&o.Installation, "installation", "", "Name of the installation: status.installation of its TakaroEndpoints. Required.")
	flags.BoolVar(&o.remove, "delete", false, "Delete the domains that are found, with all their data. Requires --count.")
	flags.IntVar(&o.count, "count", -1, "Number of domains that --delete must find. If it finds another number, it deletes nothing.")
	flags.BoolVar(&o.lostCluster, "cluster-is-lost", false,
		"Read no cluster: every domain of the installation counts as unused, also what was left in Takaro on purpose and could not be marked. "+
			"--delete then waits for 30 s, refuses if an installation renews the anchor, and deletes the anchor after the domains.")
	flags.StringVar(&o.Kubeconfig, "kubeconfig", "", "Kubeconfig of the installation's cluster. Default: the pod's ServiceAccount.")
	flags.BoolVar(&o.AllowLoopback, "allow-loopback", false, "Let it connect to this machine. For tests and demo only.")
	return command
}

func (o *sweepOptions) run(command *cobra.Command) error {
	token := os.Getenv(envTakaroToken)
	if o.endpoint == "" || o.Installation == "" || token == "" {
		return fmt.Errorf("--endpoint, --installation and the environment variable %s are required", envTakaroToken)
	}
	if o.lostCluster && o.Kubeconfig != "" {
		return errors.New("--cluster-is-lost and --kubeconfig exclude each other")
	}
	if o.remove && o.count < 0 {
		return errors.New("--delete requires --count=<n>: run the command without --delete first, and check the domains that it lists")
	}
	address, err := takaro.NormalizeURL(o.endpoint)
	if err != nil {
		return fmt.Errorf("--endpoint: %w", err)
	}
	var recorded sweep.Cluster
	dial := o.dialPolicy(nil)
	if !o.lostCluster {
		config, err := o.clientConfig()
		if err != nil {
			return err
		}
		kinds, err := newScheme()
		if err != nil {
			return err
		}
		cluster, err := client.New(config, client.Options{Scheme: kinds})
		if err != nil {
			return fmt.Errorf("connecting to the cluster: %w", err)
		}
		recorded = sweep.In(cluster, o.Installation, address)
		own, err := apiaddresses.New(config)
		if err != nil {
			return err
		}
		if err := own.Refresh(command.Context()); err != nil {
			return err
		}
		dial = o.dialPolicy(own.Addresses)
	}
	pool := takaro.NewPool(takaro.Options{QPS: o.TakaroQPS, Burst: o.TakaroBurst, Dial: dial})
	defer pool.Close()
	endpoint, err := pool.Client(takaro.Endpoint{URL: address, AdminToken: takaro.NewSecret(token)})
	if err != nil {
		return err
	}
	return sweep.Sweep{
		Takaro: endpoint, Installation: o.Installation, Cluster: recorded, Delete: o.remove, Count: o.count,
		Out: command.OutOrStdout(), Sleep: o.sleep,
	}.Run(command.Context())
}
