// SPDX-License-Identifier: Apache-2.0

package install

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"roadstead.dev/roadstead/test/framework/cluster"
)

// Options configure Install.
type Options struct {
	// Cluster is the running cluster. Required.
	Cluster *cluster.Cluster
	// BinDir is the directory of the built programs. Empty: bin of the checkout that contains the
	// working directory.
	BinDir string
	// Manifests is the kustomize directory below artifacts/deploy, or an absolute path. Empty:
	// base. Its workloads run as local processes with the flags that Install and these options set,
	// not with the flags of the directory.
	Manifests string
	// Dir is the working directory for logs, kubeconfigs and data. Its content is kept, so that a
	// second installation with the same Dir uses the data of the first. Empty: the directory
	// "roadstead" in the working directory of the cluster.
	Dir string
	// APIServerArgs and ControllerArgs are appended to the flags that Install sets and override
	// them.
	APIServerArgs, ControllerArgs []string
	// ControllerEnv are variables ("NAME=value") in the environment of the controllers.
	ControllerEnv []string
	// Replicas is the number of API servers that Install starts. More than one requires a shared
	// store, set in APIServerArgs (--etcd-servers), and a Front. Zero: one.
	Replicas int
	// Front stands for the Service in front of the API servers. Nil: the Service points to the
	// first API server.
	Front Front
	// Host returns the "host:port" at which the program with the given Name reaches kube-apiserver,
	// for tests that put a network in between. Nil: the address of kube-apiserver.
	Host func(program string) string
	// SharedStore stores the objects in the etcd of the cluster instead of an embedded one, so that
	// several servers can serve them.
	SharedStore bool
	// Etcd returns the etcd URL of the API server with the given Name, for tests that put a network
	// in between or replace the etcd. Nil: see SharedStore.
	Etcd func(program string) string
	// WithoutController omits roadstead-controller.
	WithoutController bool
	// Restart restarts a program that exits on its own, as kubelet does.
	Restart bool
	// Logf logs progress. Nil: no output.
	Logf func(format string, args ...any)
}

// Front forwards connections to the API servers that are ready.
type Front interface {
	// Port returns the local port that stands for the port of the Service.
	Port() string
	// Add registers an API server ("host:port") that is about to start.
	Add(address string)
}

// base is the shipped kustomize base, relative to the root of the checkout.
var base = filepath.Join("artifacts", "deploy", "base")

// prepare sets the defaults, creates the working directory and returns the directory of the
// manifests.
func (o *Options) prepare() (manifests string, err error) {
	if o.Cluster == nil {
		return "", errors.New("local: Options.Cluster is not set")
	}
	if o.Replicas > 1 && o.Front == nil {
		return "", errors.New("local: Options.Replicas needs Options.Front")
	}
	root, err := findRoot()
	if err != nil {
		return "", err
	}
	if o.BinDir == "" {
		o.BinDir = filepath.Join(root, "bin")
	}
	if o.Dir == "" {
		o.Dir = filepath.Join(o.Cluster.Dir(), "roadstead")
	}
	// The programs run in another working directory.
	if o.Dir, err = filepath.Abs(o.Dir); err != nil {
		return "", err
	}
	if o.BinDir, err = filepath.Abs(o.BinDir); err != nil {
		return "", err
	}
	if o.Logf == nil {
		o.Logf = func(string, ...any) {}
	}
	for _, name := range o.programs() {
		if _, err := os.Stat(filepath.Join(o.BinDir, name)); err != nil {
			return "", fmt.Errorf("local: %w: run `make build` first", err)
		}
	}
	manifests = filepath.Join(root, base)
	switch {
	case filepath.IsAbs(o.Manifests):
		manifests = o.Manifests
	case o.Manifests != "":
		manifests = filepath.Join(filepath.Dir(manifests), o.Manifests)
	}
	return manifests, os.MkdirAll(o.Dir, 0o755)
}

func (o *Options) programs() []string {
	if o.WithoutController {
		return []string{APIServer}
	}
	return []string{APIServer, Controller}
}

// Manifests returns the path of a kustomize directory below artifacts/deploy, such as "guard". The
// working directory must be in the checkout.
func Manifests(name string) (string, error) {
	root, err := findRoot()
	if err != nil {
		return "", err
	}
	return filepath.Join(root, filepath.Dir(base), name), nil
}

// findRoot searches upwards from the working directory, because go test runs in the directory of
// the tested package.
func findRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for start := dir; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, base)); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("local: no %s in %s or a folder above it: run inside the checkout", base, start)
		}
	}
}
