// SPDX-License-Identifier: Apache-2.0

package storecmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	clientv3 "go.etcd.io/etcd/client/v3"
)

func newBackup() *cobra.Command {
	etcd, to := newConnection(), ""
	command := &cobra.Command{
		Use:   "backup",
		Short: "Write a snapshot of the store",
		Long: "backup writes a consistent snapshot of the store, with a checksum, while the server runs. For an embedded etcd it\n" +
			"must run as the server's user with access to the data folder, for example with \"kubectl exec\" in the server's pod:\n\n" +
			"  kubectl exec -n roadstead-system roadstead-apiserver-0 -- \\\n" +
			"    /roadstead-apiserver backup --data-dir=/data/etcd --to=- > roadstead.snapshot\n\n" +
			"A snapshot of an external etcd contains everything in that etcd. It does not contain the Secrets of the installation:\n" +
			"back them up too.",
		RunE: func(command *cobra.Command, _ []string) error {
			if to == "" {
				return errors.New("backup: --to is required")
			}
			if err := backup(command.Context(), etcd, to, command.OutOrStdout(), command.ErrOrStderr()); err != nil {
				return fmt.Errorf("backup: %w", err)
			}
			return nil
		},
	}
	etcd.addFlags(command.Flags())
	command.Flags().StringVar(&to, "to", to, "File to write, which must not exist; \"-\" for standard output.")
	return command
}

func backup(ctx context.Context, etcd *connection, to string, stdout, stderr io.Writer) error {
	client, _, err := etcd.open()
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	written, err := save(ctx, client, to, stdout)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(stderr, "Wrote a snapshot of %d bytes.\n", written)
	return nil
}

// save writes a snapshot. The file gets its name only when it is complete.
func save(ctx context.Context, client clientv3.Maintenance, to string, stdout io.Writer) (int64, error) {
	answer, err := client.SnapshotWithVersion(ctx)
	if err != nil {
		return 0, fmt.Errorf("etcd: %w", err)
	}
	defer func() { _ = answer.Snapshot.Close() }()
	if to == "-" {
		return io.Copy(stdout, answer.Snapshot)
	}
	if _, err := os.Lstat(to); err == nil {
		return 0, fmt.Errorf("%s already exists", to)
	}
	part := to + ".part"
	file, err := os.OpenFile(part, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, err
	}
	written, err := io.Copy(file, answer.Snapshot)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return 0, errors.Join(err, os.Remove(part))
	}
	return written, os.Rename(part, to)
}
