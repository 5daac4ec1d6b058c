// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/wait"
)

// anchorEnds is how long the controller may take to delete the anchor of an unused Takaro.
const anchorEnds = 30 * time.Second

// logins returns the passwords in the Secrets of the Users by e-mail, after a login with each of
// them. They are never printed.
func (t *tour) logins(ctx context.Context) (map[string]string, error) {
	found := map[string]string{}
	for _, user := range []string{"alice", "bob"} {
		name := user + "-takaro-user"
		stdout, _, err := t.user.Kubectl(ctx, "get", "secret", name, "-n", namespace, "-o", "json")
		if err != nil {
			return nil, err
		}
		var secret corev1.Secret
		if err := json.Unmarshal([]byte(stdout), &secret); err != nil {
			return nil, fmt.Errorf("decode Secret %s: %w", name, err)
		}
		email, password := string(secret.Data["email"]), string(secret.Data["password"])
		if err := t.outside.Takaro.Login(ctx, email, password); err != nil {
			return nil, fmt.Errorf("log in with Secret %s: %w", name, err)
		}
		found[email] = password
	}
	return found, nil
}

// nothingLeft returns an error if objects are left in the cluster, in Takaro or in Redis.
func (t *tour) nothingLeft(ctx context.Context) error {
	for _, remains := range [][]string{{"get", "roadstead", "-A", "-o", "name"}, {"get", "namespace", namespace,
		"--ignore-not-found", "-o", "name"}} {
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
	if err := t.noAnchor(ctx); err != nil {
		return err
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

// noAnchor waits until the anchor is deleted, which the controller does once nothing uses Takaro.
func (t *tour) noAnchor(ctx context.Context) error {
	err := wait.PollUntilContextTimeout(ctx, 200*time.Millisecond, anchorEnds, true, func(ctx context.Context) (bool, error) {
		exists, err := t.outside.Takaro.Anchored(ctx)
		return !exists, err
	})
	if wait.Interrupted(err) && ctx.Err() == nil {
		return fmt.Errorf("the anchor is left in Takaro, %s after the last object was deleted", anchorEnds)
	}
	return err
}

// showTakaro prints the domains in Takaro, with their game servers and users.
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
