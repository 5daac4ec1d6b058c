// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// guardExamples is the directory of the CRDs that the tour changes.
const guardExamples = "artifacts/examples/crd-guard/"

// guardStarts is how long the API server may take to read the webhook configuration.
const guardStarts = 30 * time.Second

// guard shows the result of changes of CustomResourceDefinitions: a safe one, a breaking one, and a
// breaking one by Helm.
func (t *tour) guard(ctx context.Context) error {
	say("\nA platform engineer puts the CRD guard over the cluster, and has a definition with two objects.")
	if err := t.kubectl(ctx,
		"apply -k artifacts/deploy/guard",
		"apply -k artifacts/deploy/crdguard-live",
		"apply -f "+guardExamples+"1-installed.yaml",
		"wait --for=condition=Established crd/widgets.example.com --timeout=30s",
		"apply -f "+guardExamples+"2-objects.yaml",
	); err != nil {
		return err
	}
	if err := t.guardStarted(ctx); err != nil {
		return err
	}
	say("\nA safe change passes. A breaking one does not, whoever makes it.")
	if err := t.kubectl(ctx, "apply -f "+guardExamples+"3-safe.yaml"); err != nil {
		return err
	}
	refusal, err := t.refused(ctx, "apply -f "+guardExamples+"4-breaking.yaml")
	if err != nil {
		return err
	}
	_, command, found := strings.Cut(refusal, "run: kubectl ")
	if !found {
		return fmt.Errorf("the refusal names no way out: %s", refusal)
	}
	command, _, _ = strings.Cut(command, "\n")
	say("\nThe last line says how to get exactly this change through.")
	if err := t.kubectl(ctx, command, "apply -f "+guardExamples+"4-breaking.yaml"); err != nil {
		return err
	}
	if err := t.guardHelm(ctx); err != nil {
		return err
	}
	say("\nA definition with objects is not deleted by mistake either.")
	if _, err := t.refused(ctx, "delete crd widgets.example.com"); err != nil {
		return err
	}
	return t.kubectl(ctx, "delete widgets --all -n default", "delete crd widgets.example.com --timeout=30s")
}

// guardStarted waits until the API server calls the guard.
func (t *tour) guardStarted(ctx context.Context) error {
	return wait.PollUntilContextTimeout(ctx, 200*time.Millisecond, guardStarts, true, func(ctx context.Context) (bool, error) {
		_, _, err := t.user.Kubectl(ctx, "apply", "--dry-run=server", "-f", guardExamples+"4-breaking.yaml")
		return err != nil, nil
	})
}

// guardHelm upgrades a chart whose next version narrows a field of the CRD that it renders.
func (t *tour) guardHelm(ctx context.Context) error {
	say("\nThe same by Helm: the next version of a chart narrows a field of its definition.")
	if err := t.helm(ctx, "install", "gadgets", guardExamples+"chart"); err != nil {
		return err
	}
	if err := t.helm(ctx, "upgrade", "gadgets", guardExamples+"chart", "--set", "maximum=10"); err == nil {
		return fmt.Errorf("helm upgrade of a chart with a breaking definition was not refused")
	}
	return t.helm(ctx, "uninstall", "gadgets")
}

// refused prints and runs a command that must fail, and returns its output.
func (t *tour) refused(ctx context.Context, command string) (string, error) {
	say("\n$ kubectl %s", command)
	stdout, stderr, err := t.user.Kubectl(ctx, strings.Fields(command)...)
	fmt.Print(stdout)
	fmt.Print(stderr)
	if err == nil {
		return "", fmt.Errorf("kubectl %s was not refused", command)
	}
	return stderr, nil
}

// helm prints a command, runs it as the tour's user and prints its output.
func (t *tour) helm(ctx context.Context, args ...string) error {
	say("\n$ helm %s", strings.Join(args, " "))
	folder, err := exec.CommandContext(ctx, "hack/tools/build.sh", "--print-dir", "helm").Output()
	if err != nil {
		return fmt.Errorf("where Helm is: %w", err)
	}
	home, err := filepath.Abs(filepath.Join(t.dir, "helm"))
	if err != nil {
		return err
	}
	command := exec.CommandContext(ctx, filepath.Join(strings.TrimSpace(string(folder)), "helm"), args...)
	command.Env = append(os.Environ(), "KUBECONFIG="+t.user.Kubeconfig(),
		"HELM_CACHE_HOME="+home, "HELM_CONFIG_HOME="+home, "HELM_DATA_HOME="+home)
	out, err := command.CombinedOutput()
	fmt.Print(string(out))
	return err
}
