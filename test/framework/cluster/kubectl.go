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

// KubectlPath returns the path of the kubectl that has the version of the cluster.
func (c *Cluster) KubectlPath() string { return filepath.Join(c.opts.ToolsDir, "kubectl") }

// Kubectl runs kubectl as the administrator.
func (c *Cluster) Kubectl(ctx context.Context, args ...string) (stdout, stderr string, err error) {
	return c.KubectlAs(c.Kubeconfig()).Run(ctx, args...)
}

// KubectlAs returns a Kubectl that uses a kubeconfig, see WriteKubeconfig.
func (c *Cluster) KubectlAs(kubeconfig string) Kubectl {
	// kubectl caches discovery by address, and the next cluster may get the same port. Therefore
	// the home directory is inside the working directory of the cluster.
	return Kubectl{path: c.KubectlPath(), kubeconfig: kubeconfig, home: c.opts.Dir}
}

// WithStdin returns a Kubectl that reads standard input from r, for one Run ("apply", "-f", "-").
func (k Kubectl) WithStdin(r io.Reader) Kubectl {
	k.stdin = r
	return k
}

// WithEnv returns a Kubectl with additional variables ("NAME=value") in its environment. The
// environment contains none of the variables of the calling user.
func (k Kubectl) WithEnv(env ...string) Kubectl {
	k.env = append(k.env[:len(k.env):len(k.env)], env...)
	return k
}

// Run runs kubectl with args and waits for it to exit. The error of a failed run contains the
// standard error of kubectl. It names only the first argument, because the others may contain
// secrets.
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
