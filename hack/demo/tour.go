// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"roadstead.dev/roadstead/hack/demo/outside"
	"roadstead.dev/roadstead/test/framework/cluster"
)

// example is the shipped manifest that the tour applies, with the addresses and the token of the
// stand-in.
const example = "artifacts/examples/takaro/environment.yaml"

// namespace is the namespace of the example.
const namespace = "takaro-environment"

// tour is the sequence of steps for a new user.
type tour struct {
	user    *cluster.Cluster
	outside *outside.Outside
	dir     string
	// before are the passwords of the first Users, by e-mail.
	before map[string]string
}

// prepare creates the Secret of the installation's Redis, and writes the manifest to a file that
// the user can read and apply again.
func (t *tour) prepare(ctx context.Context) error {
	if err := t.outside.ShareRedis(ctx, t.user); err != nil {
		return err
	}
	content, err := os.ReadFile(example)
	if err != nil {
		return err
	}
	return os.WriteFile(t.manifest(), []byte(t.outside.Fill(string(content))), 0o600)
}

func (t *tour) manifest() string { return filepath.Join(t.dir, "environment.yaml") }

// create applies the manifest and shows the result in the cluster and in Takaro.
func (t *tour) create(ctx context.Context) error {
	say("\nA user applies %s: a Domain, two MockServers with three game servers, two Users.", example)
	if err := t.kubectl(ctx,
		"get apiservice v1alpha1.takaro.roadstead.dev",
		"apply -f "+t.manifest(),
		waitForAll(t.timeout()),
		"get domains -n "+namespace,
		"get mockservers -n "+namespace,
		"get users.takaro.roadstead.dev -n "+namespace,
		"get secrets -n "+namespace+" -o custom-columns=SECRET:.metadata.name,OWNER:.metadata.ownerReferences[0].kind",
		"events -n "+namespace+" --for domain/arena",
	); err != nil {
		return err
	}
	return t.showTakaro(ctx)
}

// whole creates, changes and deletes the environment, then creates it again and deletes the
// namespace, and shows that nothing is left. It ends with the CRD guard.
func (t *tour) whole(ctx context.Context) error {
	for _, part := range []func(context.Context) error{t.create, t.change, t.deleteFile, t.again, t.guard} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}

// waitForAll returns the command that waits until the environment is Ready.
func waitForAll(timeout string) string {
	return "wait --for=condition=Ready domains,mockservers,users.takaro.roadstead.dev --all -n " + namespace + timeout
}

// timeout returns the flag of commands that wait for systems outside of the cluster.
func (t *tour) timeout() string {
	return fmt.Sprintf(" --timeout=%ds", int(t.outside.Patience().Seconds()))
}

// change scales a MockServer, and puts the Domain into maintenance and back.
func (t *tour) change(ctx context.Context) error {
	say("\nThe user scales a MockServer, and has a maintenance.")
	if err := t.kubectl(ctx,
		"scale mockserver quiet -n "+namespace+" --replicas=2",
		"wait --for=jsonpath={.status.reachable}=2 mockserver/quiet -n "+namespace+t.timeout(),
		`patch domain arena -n `+namespace+` --type=merge -p '{"spec":{"maintenanceMode":true}}'`,
		"wait --for=condition=Ready domain/arena -n "+namespace+" --timeout=60s",
		"get domains,mockservers,users.takaro.roadstead.dev -n "+namespace,
		`patch domain arena -n `+namespace+` --type=merge -p '{"spec":{"maintenanceMode":false}}'`,
		// After a maintenance, the pods of mock servers restart one by one, one per minute.
		waitForAll(" --timeout=300s"),
	); err != nil {
		return err
	}
	return t.showTakaro(ctx)
}

// deleteFile deletes the objects of the manifest.
func (t *tour) deleteFile(ctx context.Context) (err error) {
	if t.before, err = t.logins(ctx); err != nil {
		return err
	}
	say("\nThe user deletes all of it.")
	if err := t.kubectl(ctx,
		"delete -f "+t.manifest()+" --ignore-not-found --timeout=120s",
		"get roadstead -A",
		"get secrets,statefulsets,pods -n "+namespace,
	); err != nil {
		return err
	}
	return t.nothingLeft(ctx)
}

// again applies the same manifest once more and deletes its namespace.
func (t *tour) again(ctx context.Context) error {
	say("\nThe same manifest again, as a nightly job would. Takaro kept the passwords of these e-mails.")
	if err := t.kubectl(ctx,
		"apply -f "+t.manifest(),
		waitForAll(t.timeout()),
		`get users.takaro.roadstead.dev -n `+namespace+` -o custom-columns='NAME:.metadata.name,EMAIL:.spec.email,`+
			`LOGIN-WORKS:.status.conditions[?(@.type=="PasswordValid")].status'`,
	); err != nil {
		return err
	}
	now, err := t.logins(ctx)
	if err != nil {
		return err
	}
	if !maps.Equal(now, t.before) {
		return errors.New("the Secrets of the Users hold other logins than the first time")
	}
	say("\nTakaro accepts the logins in both Secrets, which are those of the first time.")
	say("\nThis time the whole namespace is deleted.")
	if err := t.kubectl(ctx,
		"delete namespace "+namespace+" --timeout=120s",
		"get roadstead -A",
		"get secrets,statefulsets,pods -n "+namespace,
	); err != nil {
		return err
	}
	return t.nothingLeft(ctx)
}

// invite prints how to continue manually.
func (t *tour) invite() {
	kubeconfig, err := filepath.Abs(t.user.Kubeconfig())
	if err != nil {
		kubeconfig = t.user.Kubeconfig()
	}
	say(`
It stays up until Ctrl-C. In another terminal:

  export KUBECONFIG=%s KUBECACHEDIR=%s TAKARO=%s
  alias kubectl=%s
  kubectl explain mockserver.spec
  kubectl get roadstead -n takaro-environment
  kubectl scale mockserver busy -n takaro-environment --replicas=3
  kubectl delete -f %s

%s
Logs: %s`, kubeconfig, filepath.Join(filepath.Dir(kubeconfig), "kubectl-cache"), t.outside.Takaro.URL(), t.user.KubectlPath(),
		t.manifest(), t.outside.Takaro.Look(), filepath.Join(t.dir, "roadstead"))
}

// kubectl prints commands, runs them and prints their output.
func (t *tour) kubectl(ctx context.Context, commands ...string) error {
	for _, command := range commands {
		say("\n$ kubectl %s", command)
		// The quotes are for the reader's shell; no argument of the tour contains a space.
		stdout, stderr, err := t.user.Kubectl(ctx, strings.Fields(strings.ReplaceAll(command, "'", ""))...)
		fmt.Print(stdout)
		fmt.Print(stderr)
		if err != nil {
			return fmt.Errorf("kubectl %s: %w", command, err)
		}
	}
	return nil
}
