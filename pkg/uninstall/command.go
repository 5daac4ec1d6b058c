// SPDX-License-Identifier: Apache-2.0

package uninstall

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/cli"
	"roadstead.dev/roadstead/pkg/util/storeidentity"
)

// requestTimeout is the timeout of each request, so that a server that does not respond cannot
// block the uninstallation.
const requestTimeout = 30 * time.Second

// inventoryTimeout is the timeout for reading the inventory, which is one long response. The server
// has the same limit.
const inventoryTimeout = time.Minute

// mode is what to do with user objects.
type mode string

const (
	// refuse changes nothing while there are user objects.
	refuse mode = ""
	// deleteAll deletes them, and the controllers delete their outside objects.
	deleteAll mode = "--delete-all"
	// orphan deletes them and keeps their outside objects.
	orphan mode = "--orphan"
	// strip keeps them in the store, and removes finalizers that no controller will remove.
	strip mode = "--strip-finalizers"
)

// options are the flags of prepare-uninstall.
type options struct {
	kubeconfig, namespace    string
	deleteAll, orphan, strip bool
	timeout                  time.Duration
}

// NewCommand returns the command prepare-uninstall.
func NewCommand() *cobra.Command {
	o := &options{namespace: cli.InstallationNamespace(), timeout: 10 * time.Minute}
	command := &cobra.Command{
		Use:   "prepare-uninstall",
		Short: "Take Roadstead out of the cluster, so that what remains can be deleted in any order",
		Long: "prepare-uninstall removes what of an installation must go in an order: the webhook, the finalizers on Secrets, the\n" +
			"APIServices, the workloads, and what the programs made themselves. While there are objects of users it refuses to,\n" +
			"unless a flag says what becomes of them. What was interrupted is continued by running it again.\n\n" +
			"It does not run in a pod of the programs, which it removes, but as a Job (artifacts/deploy/uninstall) or from\n" +
			"outside of the cluster with the rights of an administrator. Every flag can also be set in the environment:\n" +
			"--delete-all is ROADSTEAD_DELETE_ALL.",
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(command *cobra.Command, _ []string) error {
			if err := cli.SetFromEnv(command.Flags()); err != nil {
				return err
			}
			how, err := o.mode()
			if err != nil {
				return err
			}
			u, err := o.connect()
			if err != nil {
				return err
			}
			u.mode, u.out = how, command.OutOrStdout()
			return u.explain(u.run(command.Context()))
		},
	}
	o.addFlags(command.Flags())
	return command
}

func (o *options) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&o.kubeconfig, "kubeconfig", o.kubeconfig,
		"Kubeconfig of an administrator of the cluster. Empty: as kubectl finds it, in a pod its ServiceAccount.")
	flags.StringVar(&o.namespace, "namespace", o.namespace, "Namespace of the installation.")
	flags.BoolVar(&o.deleteAll, "delete-all", o.deleteAll,
		"Delete all objects of Roadstead, and wait until the controllers have removed what they stand for.")
	flags.BoolVar(&o.orphan, "orphan", o.orphan,
		"Delete all objects of Roadstead, and leave what they stand for in Takaro, Redis and the cluster as it is.")
	flags.BoolVar(&o.strip, "strip-finalizers", o.strip, "For when the server or the controllers are gone for good: take our "+
		"finalizers off without waiting for anybody. What is still stored is kept.")
	flags.DurationVar(&o.timeout, "timeout", o.timeout,
		"How long to wait for the objects to go. What stands then is told, and another run goes on.")
}

// mode validates the flags and returns the mode that they select.
func (o *options) mode() (mode, error) {
	var errs []error
	if o.namespace == "" {
		errs = append(errs, errors.New("--namespace: name that of the installation"))
	}
	if o.timeout <= 0 {
		errs = append(errs, errors.New("--timeout: must be more than 0"))
	}
	asked := refuse
	for _, of := range []struct {
		set  bool
		mode mode
	}{{o.deleteAll, deleteAll}, {o.orphan, orphan}, {o.strip, strip}} {
		switch {
		case of.set && asked != refuse:
			errs = append(errs, fmt.Errorf("%s and %s exclude each other", asked, of.mode))
		case of.set:
			asked = of.mode
		}
	}
	return asked, errors.Join(errs...)
}

// connect returns an uninstallation with clients of the cluster.
func (o *options) connect() (*uninstallation, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = o.kubeconfig
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{}).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("--kubeconfig: %w", err)
	}
	config.QPS = -1
	config.Timeout = requestTimeout
	config.WarningHandler = rest.NoWarnings{}
	config = rest.AddUserAgent(config, "roadstead-prepare-uninstall")
	kinds := newScheme()
	cluster, err := client.New(config, client.Options{Scheme: kinds})
	if err != nil {
		return nil, fmt.Errorf("connecting to the cluster: %w", err)
	}
	typed, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("connecting to the cluster: %w", err)
	}
	long := rest.CopyConfig(config)
	long.Timeout = inventoryTimeout
	patient, err := kubernetes.NewForConfig(long)
	if err != nil {
		return nil, fmt.Errorf("connecting to the cluster: %w", err)
	}
	return &uninstallation{
		namespace: o.namespace, timeout: o.timeout, client: cluster, discovery: typed.Discovery(),
		inventory: func(ctx context.Context, each func(storeidentity.InventoryObject) error) (storeidentity.InventoryHeader, error) {
			return storeidentity.ReadInventory(ctx, patient.CoreV1().RESTClient(), each)
		},
		leases: typed.CoordinationV1(), poll: time.Second,
	}, nil
}

// newScheme returns the kinds of the cluster that are read or removed. Roadstead's kinds are not
// included: they are discovered.
func newScheme() *runtime.Scheme {
	kinds := runtime.NewScheme()
	utilruntime.Must(scheme.AddToScheme(kinds))
	utilruntime.Must(apiregistration.AddToScheme(kinds))
	return kinds
}

// explain adds to an error what failed, and that the command can be run again to continue.
func (u *uninstallation) explain(err error) error {
	var refused *refusal
	switch {
	case err == nil:
		return nil
	case errors.As(err, &refused):
		return fmt.Errorf("prepare-uninstall: %w", err)
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("prepare-uninstall: interrupted (%w); run it again with the same flags, and it goes on", err)
	default:
		return fmt.Errorf("prepare-uninstall: %w. When that is mended, run it again with the same flags, and it goes on", err)
	}
}
