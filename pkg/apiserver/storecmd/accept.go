// SPDX-License-Identifier: Apache-2.0

package storecmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"roadstead.dev/roadstead/pkg/cli"
	"roadstead.dev/roadstead/pkg/util/storeidentity"
)

// accept is the command accept-store.
type accept struct {
	kubeconfig, namespace string
	id, reason            string
	yes                   bool
	timeout               time.Duration
	out                   io.Writer
	// leaseDuration is how long a Lease is watched for a renewal, poll is the time between two
	// reads while waiting.
	leaseDuration, poll time.Duration
}

func newAccept() *cobra.Command {
	a := &accept{
		namespace: cli.InstallationNamespace(), timeout: time.Minute,
		leaseDuration: storeidentity.LeaseDuration, poll: 500 * time.Millisecond,
	}
	command := &cobra.Command{
		Use:   "accept-store",
		Short: "Accept a store that the server refuses",
		Long: "accept-store makes the server use the store that it refuses, although that is empty, older, restored, of another\n" +
			"installation or of another cluster. The message by which the server refuses requests contains the store's id.\n\n" +
			"The garbage collector of the cluster then deletes every object whose owner is a Roadstead object that is not in\n" +
			"this store. accept-store lists these objects first, and continues only with --yes if there are any. It reads what\n" +
			"is stored from etcd, through the server.\n\n" +
			"The command connects to the cluster only, as an administrator. The server must be running, and no other server may\n" +
			"be using its store.",
		RunE: func(command *cobra.Command, _ []string) error {
			a.out = command.OutOrStdout()
			return a.run(command.Context())
		},
	}
	flags := command.Flags()
	flags.StringVar(&a.kubeconfig, "kubeconfig", a.kubeconfig, "Kubeconfig of an administrator of the cluster. Empty: as kubectl finds it.")
	flags.StringVar(&a.namespace, "namespace", a.namespace, "Namespace of the installation.")
	flags.StringVar(&a.id, "id", a.id, fmt.Sprintf("Id of the store to accept; %q if it has none.", storeidentity.NewStore))
	flags.StringVar(&a.reason, "reason", a.reason, "Reason for accepting the store. The event StoreAccepted contains it.")
	flags.BoolVar(&a.yes, "yes", a.yes, "Continue although objects will be deleted because their owners are missing.")
	flags.DurationVar(&a.timeout, "timeout", a.timeout, "Maximum time to wait for the server to use the store. Must be greater than 0.")
	return command
}

func (a *accept) run(ctx context.Context) error {
	if a.id == "" || a.reason == "" {
		return errors.New("accept-store: --id and --reason are required; the message of a refused request contains the id")
	}
	if a.timeout <= 0 {
		return errors.New("accept-store: --timeout must be greater than 0")
	}
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = a.kubeconfig
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{}).ClientConfig()
	if err != nil {
		return fmt.Errorf("accept-store: --kubeconfig: %w", err)
	}
	config.QPS = -1
	// Deprecated kinds are listed as well, and a warning about each would hide the result.
	config.WarningHandler = rest.NoWarnings{}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("accept-store: %w", err)
	}
	look, err := newInspection(config, client)
	if err != nil {
		return fmt.Errorf("accept-store: %w", err)
	}
	if err := a.accept(ctx, client, look); err != nil {
		return fmt.Errorf("accept-store: %w", err)
	}
	return nil
}

// accept checks that the store may be accepted, and writes the request only after all checks.
func (a *accept) accept(ctx context.Context, client kubernetes.Interface, look *inspection) error {
	header, err := look.observe(ctx)
	if err != nil {
		return err
	}
	a.print("The server observes store %s, epoch %d, in etcd cluster %s at revision %d. State: %s.",
		idOf(header), header.Epoch, header.EtcdClusterID, header.Revision, header.State)
	if err := a.acceptable(header); err != nil {
		return err
	}
	// The holder of an embedded store is a data folder, which only the server can distinguish from
	// another one.
	if !header.Embedded {
		if err := a.awaitUnused(ctx, client.CoordinationV1().Leases(a.namespace)); err != nil {
			return err
		}
	}
	found, err := look.inventory(ctx)
	if err != nil {
		return err
	}
	// Another replica may have answered, or the store may have been replaced meanwhile.
	if err := a.acceptable(found.header); err != nil {
		return err
	}
	if err := a.confirm(ctx, look, found); err != nil {
		return err
	}
	return a.request(ctx, client, look, found.header)
}

// acceptable returns an error unless a store with the given header is the one to accept.
func (a *accept) acceptable(header storeidentity.InventoryHeader) error {
	switch {
	case header.State == storeidentity.StateServing:
		return errors.New("a server uses its store; there is nothing to accept")
	case idOf(header) != a.id:
		return fmt.Errorf("--id is %q, but the server observes store %q", a.id, idOf(header))
	default:
		return nil
	}
}

// idOf returns the id with which a store is accepted.
func idOf(header storeidentity.InventoryHeader) string {
	if header.StoreID == "" {
		return storeidentity.NewStore
	}
	return header.StoreID
}

// confirm prints what will be deleted, and returns an error if the store must not be accepted as it is.
func (a *accept) confirm(ctx context.Context, look *inspection, found *stored) error {
	missing, err := look.missingOwners(ctx, found)
	if err != nil {
		return err
	}
	if found.unreadable > 0 {
		a.print("Objects in the store that cannot be read, and count as missing: %d. One of them is %s.", found.unreadable, found.example)
	}
	if len(missing) == 0 {
		a.print("All owners of the objects in this cluster are in the store.")
	} else {
		_, _ = fmt.Fprint(a.out, describe(missing))
		if !a.yes {
			return errors.New("nothing was changed; to continue nevertheless, add --yes")
		}
	}
	if farEnough(found.header) {
		return nil
	}
	a.print("%s", howToRaise(found.header, "roadstead-"+string(uuid.NewUUID())))
	return errors.New("nothing was changed; the revision of etcd is too low")
}

// request writes the request, waits until a server has fulfilled it, and creates the event.
func (a *accept) request(ctx context.Context, client kubernetes.Interface, look *inspection, header storeidentity.InventoryHeader) error {
	requests := requests{client: client, namespace: a.namespace}
	before, err := requests.epoch(ctx)
	if err != nil {
		return err
	}
	wanted, err := requests.put(ctx, storeidentity.Request{
		Nonce: string(uuid.NewUUID()), StoreID: a.id, EtcdClusterID: header.EtcdClusterID, Revision: header.Revision, Reason: a.reason,
	})
	if err != nil {
		return err
	}
	a.print("Requested. Waiting up to %s until the server uses the store.", a.timeout)
	record, err := a.await(ctx, requests, look, wanted, max(before, header.Epoch))
	if err != nil {
		return err
	}
	a.print("The server uses store %s, epoch %d.", record.StoreID, record.Epoch)
	return requests.report(ctx, record, a.reason)
}

// print writes one line. It ignores errors, because a closed output is no reason to stop.
func (a *accept) print(format string, args ...any) {
	_, _ = fmt.Fprintf(a.out, format+"\n", args...)
}
