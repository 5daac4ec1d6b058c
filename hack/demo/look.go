// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
)

// passwords gives those in the Secrets of the Users, never to be printed.
func (t *tour) passwords(ctx context.Context) (string, error) {
	stdout, _, err := t.user.Kubectl(ctx, "get", "secrets", "alice-takaro-user", "bob-takaro-user", "-n", namespace, "-o", "jsonpath={.items[*].data.password}")
	return stdout, err
}

// nothingLeft looks for remains in the cluster, in Takaro and in Redis.
func (t *tour) nothingLeft(ctx context.Context) error {
	for _, remains := range [][]string{{"get", "roadstead", "-A", "-o", "name"}, {"get", "namespace", namespace, "--ignore-not-found", "-o", "name"}} {
		stdout, _, err := t.user.Kubectl(ctx, remains...)
		if err != nil {
			return err
		}
		if stdout != "" {
			return fmt.Errorf("left in the cluster: %s", stdout)
		}
	}
	rows, err := t.outside.Takaro.Rows(ctx)
	if err != nil {
		return err
	}
	if len(rows) > 0 {
		return fmt.Errorf("%d domains are left in Takaro", len(rows))
	}
	client := t.outside.Redis.Client()
	defer func() { _ = client.Close() }()
	keys, err := client.Keys(ctx, "*").Result()
	if err != nil {
		return fmt.Errorf("looking into Redis: %w", err)
	}
	logins, err := client.ACLUsers(ctx).Result()
	if err != nil {
		return fmt.Errorf("looking at the users of Redis: %w", err)
	}
	if len(keys) > 0 || len(logins) > 1 {
		return fmt.Errorf("%d keys and %d logins are left in Redis", len(keys), len(logins)-1)
	}
	say("\nNothing is left in the cluster, in Takaro and in Redis.")
	return nil
}

// showTakaro prints the domains as Takaro sees them, with their game servers and users.
func (t *tour) showTakaro(ctx context.Context) error {
	say("\nWhat Takaro has:\n")
	rows, err := t.outside.Takaro.Rows(ctx)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 3, ' ', 0)
	_, _ = fmt.Fprintln(table, "  DOMAIN\tNAME\tSTATE\tGAME SERVERS\tUSERS")
	for _, r := range rows {
		_, _ = fmt.Fprintf(table, "  %s\t%s\t%s\t%s\t%s\n", r.ID, r.Name, r.State, strings.Join(r.Servers, ", "), strings.Join(r.Users, ", "))
	}
	if len(rows) == 0 {
		_, _ = fmt.Fprintln(table, "  (none)")
	}
	return table.Flush()
}
