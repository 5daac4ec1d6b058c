// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"roadstead.dev/roadstead/hack/cluster"
	"roadstead.dev/roadstead/hack/local"
	"roadstead.dev/roadstead/test/fakes/takaro"
)

// tour is what a new user is shown.
type tour struct {
	user   *cluster.Cluster
	takaro *takaro.Server
	dir    string
}

// endpoint tells the installation where its Takaro is; in a real one its operators write it once.
const endpoint = `apiVersion: v1
kind: Secret
metadata:
  name: takaro
  namespace: %s
  labels:
    roadstead.dev/takaro-endpoint: "true"
stringData:
  url: %s
  adminToken: %s
`

// environment is what a user applies.
const environment = `apiVersion: v1
kind: Namespace
metadata:
  name: demo
---
apiVersion: takaro.roadstead.dev/v1alpha1
kind: Domain
metadata:
  name: my-test-domain
  namespace: demo
spec:
  takaroApiUrl: %s
  domainLimits:
    maxGameServers: 5
`

// prepare writes the installation's endpoint, and the manifest into a file that the user can read and apply again.
func (t *tour) prepare(ctx context.Context) error {
	secret := fmt.Sprintf(endpoint, local.Namespace, t.takaro.URL(), t.takaro.AdminToken())
	if _, stderr, err := t.user.KubectlAs(t.user.Kubeconfig()).WithStdin(strings.NewReader(secret)).Run(ctx, "apply", "-f", "-"); err != nil {
		return fmt.Errorf("writing the endpoint: %w: %s", err, stderr)
	}
	return os.WriteFile(t.manifest(), fmt.Appendf(nil, environment, t.takaro.URL()), 0o644)
}

func (t *tour) manifest() string { return filepath.Join(t.dir, "environment.yaml") }

// create applies the manifest and shows what became of it on both sides.
func (t *tour) create(ctx context.Context) error {
	say("\nA user applies this manifest:\n")
	content, err := os.ReadFile(t.manifest())
	if err != nil {
		return err
	}
	say("%s", indent(string(content)))
	for _, command := range []string{
		"get apiservice v1alpha1.takaro.roadstead.dev",
		"apply -f " + t.manifest(),
		"wait --for=condition=Ready domain/my-test-domain -n demo --timeout=60s",
		"get domains -n demo -o wide",
		"get secrets -n demo -o custom-columns=SECRET:.metadata.name,OWNER:.metadata.ownerReferences[0].kind",
		"events -n demo --for domain/my-test-domain",
	} {
		if err := t.kubectl(ctx, command); err != nil {
			return err
		}
	}
	return t.showTakaro()
}

// whole creates, changes and deletes, and shows that nothing is left.
func (t *tour) whole(ctx context.Context) error {
	if err := t.create(ctx); err != nil {
		return err
	}
	for _, command := range []string{
		`patch domain my-test-domain -n demo --type=merge -p '{"spec":{"maintenanceMode":true}}'`,
		"wait --for=condition=Ready domain/my-test-domain -n demo --timeout=60s",
	} {
		if err := t.kubectl(ctx, command); err != nil {
			return err
		}
	}
	if err := t.showTakaro(); err != nil {
		return err
	}
	for _, command := range []string{
		"delete -f " + t.manifest() + " --timeout=60s",
		"get roadstead -A",
		"get secrets -n demo",
	} {
		if err := t.kubectl(ctx, command); err != nil {
			return err
		}
	}
	if err := t.showTakaro(); err != nil {
		return err
	}
	if left := len(t.takaro.Domains()); left > 0 {
		return fmt.Errorf("%d domains are left in Takaro", left)
	}
	say("\nNothing is left on either side.")
	return nil
}

// showTakaro prints the domains as Takaro sees them.
func (t *tour) showTakaro() error {
	say("\nThe domains in Takaro:\n")
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 3, ' ', 0)
	_, _ = fmt.Fprintln(table, "  ID\tNAME\tSTATE\tMAX SERVERS\tMAX USERS\tEXTERNAL REFERENCE")
	domains := t.takaro.Domains()
	for _, d := range domains {
		_, _ = fmt.Fprintf(table, "  %s\t%s\t%s\t%d\t%d\t%s\n", d.ID, d.Name, d.State, d.MaxGameServers, d.MaxUsers, d.ExternalReference)
	}
	if len(domains) == 0 {
		_, _ = fmt.Fprintln(table, "  (none)")
	}
	return table.Flush()
}

// invite tells how to go on by hand.
func (t *tour) invite() {
	kubeconfig, err := filepath.Abs(t.user.Kubeconfig())
	if err != nil {
		kubeconfig = t.user.Kubeconfig()
	}
	say(`
It stays up until Ctrl-C. In another terminal:

  export KUBECONFIG=%s KUBECACHEDIR=%s TAKARO=%s
  alias kubectl=%s
  kubectl explain domain.spec
  kubectl get domains -A -w
  kubectl edit domain my-test-domain -n demo
  kubectl delete -f %s

Takaro's side: curl -s $TAKARO/__control/domains
Logs: %s`, kubeconfig, filepath.Join(filepath.Dir(kubeconfig), "kubectl-cache"), t.takaro.URL(), t.user.KubectlPath(), t.manifest(), filepath.Join(t.dir, "roadstead"))
}

// kubectl shows a command, runs it and prints what it prints.
func (t *tour) kubectl(ctx context.Context, command string) error {
	say("\n$ kubectl %s", command)
	// The quotes are for the reader's shell; no argument of the tour has a space.
	stdout, stderr, err := t.user.Kubectl(ctx, strings.Fields(strings.ReplaceAll(command, "'", ""))...)
	fmt.Print(stdout)
	fmt.Print(stderr)
	if err != nil {
		return fmt.Errorf("kubectl %s: %w", command, err)
	}
	return nil
}

func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ")
}
