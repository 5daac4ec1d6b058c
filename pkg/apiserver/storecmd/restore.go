// SPDX-License-Identifier: Apache-2.0

package storecmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"roadstead.dev/roadstead/pkg/apiserver/options"
	"roadstead.dev/roadstead/pkg/cli"
	"roadstead.dev/roadstead/pkg/storage/epoch"
	"roadstead.dev/roadstead/pkg/storage/etcd"
	"roadstead.dev/roadstead/pkg/storage/identity"
	"roadstead.dev/roadstead/pkg/util/storeidentity"
)

func newRestore() *cobra.Command {
	from, dir, namespace := "", options.New().DataDir, cli.InstallationNamespace()
	command := &cobra.Command{
		Use:   "restore",
		Short: "Fill an empty data folder of the embedded etcd from a snapshot",
		Long: "restore fills an empty data folder from a snapshot of the backup command. The server must not run. The store keeps its\n" +
			"identity and moves to a much higher revision, so that no client holds a newer resourceVersion.\n\n" +
			"The server then refuses the store until it is accepted with accept-store, which first lists what the cluster's garbage\n" +
			"collector will delete because its owner was created after the snapshot.",
		RunE: func(command *cobra.Command, _ []string) error {
			if from == "" {
				return errors.New("restore: --from is required")
			}
			if err := restore(command.Context(), from, dir, namespace, command.OutOrStdout()); err != nil {
				return fmt.Errorf("restore: %w", err)
			}
			return nil
		},
	}
	command.Flags().StringVar(&from, "from", from, "Snapshot file.")
	command.Flags().StringVar(&dir, "data-dir", dir, "Data folder to fill. Must be empty or not exist.")
	command.Flags().StringVar(&namespace, "namespace", namespace, "Namespace of the installation, for the printed instructions.")
	return command
}

func restore(ctx context.Context, from, dir, namespace string, out io.Writer) error {
	id, err := storeID(from)
	if err != nil {
		return err
	}
	if err := etcd.Restore(ctx, from, dir); err != nil {
		return err
	}
	if err := mark(ctx, dir); err != nil {
		return errors.Join(err, os.RemoveAll(filepath.Join(dir, "member")))
	}
	_, _ = fmt.Fprintf(out, "Store %s is restored to %s. Start the server now: it refuses the store until you accept it, as a cluster "+
		"administrator:\n\n  %s\n\nThis command first lists what will be deleted because its owner is missing in the snapshot.\n",
		id, dir, storeidentity.AcceptCommand(id, namespace))
	return nil
}

// storeID returns the id of the store in a snapshot.
func storeID(snapshot string) (string, error) {
	// A store of a version without epochs has only its id.
	marked, alone := epoch.Key(options.StoragePrefix), options.StoragePrefix+identity.LegacyKey
	values, err := etcd.SnapshotValues(snapshot, marked, alone)
	if err != nil {
		return "", err
	}
	if text, found := values[marked]; found {
		mark, err := epoch.ParseMark(text)
		return mark.StoreID, err
	}
	if id, found := values[alone]; found {
		return string(id), nil
	}
	return "", errors.New("the snapshot does not contain a store of Roadstead")
}

// mark writes the mark because of which the server refuses the store until it is accepted.
func mark(ctx context.Context, dir string) error {
	server, err := etcd.Start(ctx, dir, "panic")
	if err != nil {
		return err
	}
	defer server.Stop()
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{server.Endpoint()}, DialTimeout: dialTimeout, Logger: zap.NewNop()})
	if err != nil {
		return err
	}
	_, err = client.Put(ctx, options.StoragePrefix+identity.RestoredKey, time.Now().UTC().Format(time.RFC3339))
	return errors.Join(err, client.Close())
}
