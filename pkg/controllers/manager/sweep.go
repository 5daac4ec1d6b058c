// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/cli"
	"roadstead.dev/roadstead/pkg/controllers/takaro/sweep"
	"roadstead.dev/roadstead/pkg/takaro"
)

// sweepPage is how many Domains are read at a time.
const sweepPage = 500

// sweepOptions are the flags of takaro-sweep.
type sweepOptions struct {
	*Options
	endpoint    string
	remove      bool
	lostCluster bool
}

// newSweepCommand returns the command takaro-sweep.
func newSweepCommand() *cobra.Command {
	options := &sweepOptions{Options: NewOptions()}
	command := &cobra.Command{
		Use:   "takaro-sweep",
		Short: "List or remove Takaro domains of an installation that have no Domain any more",
		Long: "takaro-sweep lists the domains in Takaro that an installation made (externalReference roadstead:<installation>:…)\n" +
			"and for which no Domain exists any more, for example after a cluster or its store was lost; with --delete it removes\n" +
			"them for good. The admin token is taken from " + envTakaroToken + ".",
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(command *cobra.Command, _ []string) error {
			if err := cli.SetFromEnv(command.Flags()); err != nil {
				return err
			}
			return options.run(command)
		},
	}
	flags := command.Flags()
	flags.StringVar(&options.endpoint, "endpoint", "", "Address of the Takaro API. Required.")
	flags.StringVar(&options.Installation, "installation", "", "Name of the installation. Required: it decides what is removed.")
	flags.BoolVar(&options.remove, "delete", false, "Remove what is found, for good.")
	flags.BoolVar(&options.lostCluster, "cluster-is-lost", false, "Ask no cluster: every domain of the installation counts as left over.")
	flags.StringVar(&options.Kubeconfig, "kubeconfig", "", "Kubeconfig of the installation's cluster. Default: the pod's ServiceAccount.")
	flags.BoolVar(&options.AllowLoopback, "allow-loopback", false, "Let it connect to this machine. For tests and demo only.")
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
	living := func(context.Context) (map[types.UID]bool, error) { return nil, nil }
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
		living = livingDomains(cluster)
		dial = o.dialPolicy(config)
	}
	pool := takaro.NewPool(takaro.Options{QPS: o.TakaroQPS, Burst: o.TakaroBurst, Dial: dial})
	defer pool.Close()
	endpoint, err := pool.Client(takaro.Endpoint{URL: o.endpoint, AdminToken: takaro.NewSecret(token)})
	if err != nil {
		return err
	}
	return sweep.Sweep{
		Takaro: endpoint, Installation: o.Installation, Living: living, Delete: o.remove, Out: command.OutOrStdout(),
	}.Run(command.Context())
}

// livingDomains reads the UIDs of all Domains, page by page.
func livingDomains(cluster client.Reader) sweep.Living {
	return func(ctx context.Context) (map[types.UID]bool, error) {
		living := map[types.UID]bool{}
		page := &v1alpha1.DomainList{}
		for {
			if err := cluster.List(ctx, page, client.Limit(sweepPage), client.Continue(page.Continue)); err != nil {
				return nil, err
			}
			for i := range page.Items {
				living[page.Items[i].UID] = true
			}
			if page.Continue == "" {
				return living, nil
			}
		}
	}
}
