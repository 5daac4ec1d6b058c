// SPDX-License-Identifier: Apache-2.0

package storecmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	clientv3 "go.etcd.io/etcd/client/v3"

	"roadstead.dev/roadstead/pkg/apiserver/identity"
	"roadstead.dev/roadstead/pkg/apiserver/options"
	"roadstead.dev/roadstead/pkg/cli"
	"roadstead.dev/roadstead/pkg/storage/etcd"
)

func newRestore() *cobra.Command {
	from, dir, namespace := "", options.New().DataDir, cli.InstallationNamespace()
	command := &cobra.Command{
		Use:   "restore",
		Short: "Fill an empty data folder of the embedded etcd from a snapshot",
		Long: "restore fills an empty data folder from a snapshot that backup wrote. The server must not run. The store keeps its\n" +
			"identity and moves to a revision far ahead, so that no client takes what it knew for newer.\n\n" +
			"The server then refuses the store until it is accepted by accept-store, which says first what the cluster's garbage\n" +
			"collector will delete because its owner was made after the snapshot.",
		RunE: func(command *cobra.Command, _ []string) error {
			if from == "" {
				return errors.New("restore: --from is needed")
			}
			if err := restore(command.Context(), from, dir, namespace, command.OutOrStdout()); err != nil {
				return fmt.Errorf("restore: %w", err)
			}
			return nil
		},
	}
	command.Flags().StringVar(&from, "from", from, "Snapshot file.")
	command.Flags().StringVar(&dir, "data-dir", dir, "Data folder to fill: empty, or not there yet.")
	command.Flags().StringVar(&namespace, "namespace", namespace, "Namespace of the installation, for the hint at what to do next.")
	return command
}

func restore(ctx context.Context, from, dir, namespace string, out io.Writer) error {
	id := ""
	if err := etcd.Restore(ctx, from, dir, func(ctx context.Context, client *clientv3.Client) (err error) {
		id, err = mark(ctx, client)
		return err
	}); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "Store %s is restored to %s. Start the server now: it refuses the store until you accept it, as a cluster administrator:\n\n  %s\n\nThat lists first what will be deleted because its owner is missing in the snapshot.\n",
		id, dir, identity.AcceptCommand(id, namespace))
	return nil
}

// mark leaves the mark by which the server refuses the store until it is accepted, and returns the store's id.
func mark(ctx context.Context, client clientv3.KV) (string, error) {
	found, err := client.Get(ctx, options.StoragePrefix+identity.IdentityKey)
	if err != nil {
		return "", err
	}
	if len(found.Kvs) == 0 {
		return "", errors.New("the snapshot holds no store of Roadstead")
	}
	_, err = client.Put(ctx, options.StoragePrefix+identity.RestoredKey, time.Now().UTC().Format(time.RFC3339))
	return string(found.Kvs[0].Value), err
}
