// SPDX-License-Identifier: Apache-2.0

package storecmd

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	clientv3 "go.etcd.io/etcd/client/v3"
)

func newDefrag() *cobra.Command {
	etcd := newConnection()
	command := &cobra.Command{
		Use:   "defrag",
		Short: "Release free space of the store to the file system",
		Long: "defrag rewrites the database of each etcd member, one after the other, without its free space. Requests wait during this\n" +
			"time: a few seconds per gigabyte. If etcd refused writes because the database was full, and there is space now, it accepts\n" +
			"writes again.",
		RunE: func(command *cobra.Command, _ []string) error {
			if err := defrag(command.Context(), etcd, command.OutOrStdout()); err != nil {
				return fmt.Errorf("defrag: %w", err)
			}
			return nil
		},
	}
	etcd.addFlags(command.Flags())
	return command
}

func defrag(ctx context.Context, etcd *connection, out io.Writer) error {
	client, members, err := etcd.open()
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	full := false
	for _, member := range members {
		before, err := client.Status(ctx, member)
		if err != nil {
			return fmt.Errorf("%s: %w", member, err)
		}
		if _, err := client.Defragment(ctx, member); err != nil {
			return fmt.Errorf("%s: %w", member, err)
		}
		after, err := client.Status(ctx, member)
		if err != nil {
			return fmt.Errorf("%s: %w", member, err)
		}
		_, _ = fmt.Fprintf(out, "%s: %d bytes before, %d after.\n", member, before.DbSize, after.DbSize)
		full = full || after.DbSizeQuota > 0 && after.DbSize >= after.DbSizeQuota
	}
	if full {
		return errors.New("the store is still full: delete objects, wait 5 minutes for compaction, and run defrag again; an external etcd can " +
			"also get a larger --quota-backend-bytes")
	}
	alarms, err := client.AlarmList(ctx)
	if err != nil || len(alarms.Alarms) == 0 {
		return err
	}
	if _, err := client.AlarmDisarm(ctx, &clientv3.AlarmMember{}); err != nil {
		return fmt.Errorf("disarm the alarm: %w", err)
	}
	_, err = fmt.Fprintln(out, "The alarm is disarmed: etcd accepts writes again.")
	return err
}
