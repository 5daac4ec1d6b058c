// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Kubectl runs kubectl as one user of one cluster.
type Kubectl struct {
	path, kubeconfig, home string
	stdin                  io.Reader
	env                    []string
}

// KubectlPath is the kubectl of the cluster's own version.
func (c *Cluster) KubectlPath() string { return filepath.Join(c.opts.ToolsDir, "kubectl") }

// Kubectl runs kubectl as the administrator.
func (c *Cluster) Kubectl(ctx context.Context, args ...string) (stdout, stderr string, err error) {
	return c.KubectlAs(c.Kubeconfig()).Run(ctx, args...)
}

// KubectlAs gives a kubectl that uses a kubeconfig, see WriteKubeconfig.
func (c *Cluster) KubectlAs(kubeconfig string) Kubectl {
	// A home folder in the cluster's own: kubectl keeps discovery by address, and the next cluster
	// may get the same port.
	return Kubectl{path: c.KubectlPath(), kubeconfig: kubeconfig, home: c.opts.Dir}
}

// WithStdin gives a kubectl that reads standard input from r, for one Run ("apply", "-f", "-").
func (k Kubectl) WithStdin(r io.Reader) Kubectl {
	k.stdin = r
	return k
}

// WithEnv gives a kubectl with more variables ("NAME=value") in its environment, which otherwise holds none of
// the user's own.
func (k Kubectl) WithEnv(env ...string) Kubectl {
	k.env = append(k.env[:len(k.env):len(k.env)], env...)
	return k
}

// Run runs kubectl with args and waits for it. The error of a failed run holds what kubectl said on
// standard error; of the arguments it names only the first, since others may hold secrets.
func (k Kubectl) Run(ctx context.Context, args ...string) (stdout, stderr string, err error) {
	var out, problems bytes.Buffer
	cmd := exec.CommandContext(ctx, k.path, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = k.stdin, &out, &problems
	cmd.Env = append([]string{"KUBECONFIG=" + k.kubeconfig, "HOME=" + k.home, "PATH=" + os.Getenv("PATH")}, k.env...)
	if err = cmd.Run(); err != nil {
		verb := "without arguments"
		if len(args) > 0 {
			verb = args[0]
		}
		err = fmt.Errorf("kubectl %s: %w: %s", verb, err, strings.TrimSpace(problems.String()))
	}
	return out.String(), problems.String(), err
}
