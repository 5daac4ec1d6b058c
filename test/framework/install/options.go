// SPDX-License-Identifier: Apache-2.0

package install

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"roadstead.dev/roadstead/test/framework/cluster"
)

// Options say what Install installs, and where.
type Options struct {
	// Cluster is the running cluster. Required.
	Cluster *cluster.Cluster
	// BinDir is the folder of the built programs. Empty: bin of the checkout that holds the working directory.
	BinDir string
	// Manifests is the kustomize folder below artifacts/deploy, or an absolute path. Empty: base. Its workloads run as
	// local processes, with the
	// flags that Install and these options give, not with those of the folder.
	Manifests string
	// Dir is the work folder: logs, kubeconfigs, data. What lies there is kept, so that a second installation with the
	// same Dir finds the data of the first. Empty: the folder "roadstead" in the cluster's.
	Dir string
	// APIServerArgs and ControllerArgs come after the flags that Install gives, so they win.
	APIServerArgs, ControllerArgs []string
	// ControllerEnv are variables ("NAME=value") of the controllers' environment.
	ControllerEnv []string
	// Replicas is the number of API servers that Install starts. More than one need a store that they share, given in
	// APIServerArgs (--etcd-servers), and a Front. Zero: one.
	Replicas int
	// Front stands for the Service in front of the API servers. Nil: the Service leads to the first of them.
	Front Front
	// Host gives the "host:port" at which a program (its Name) reaches kube-apiserver, for tests that put a network in between.
	// Nil: where kube-apiserver serves.
	Host func(program string) string
	// SharedStore puts the objects into the cluster's etcd instead of an embedded one, so that several servers may serve
	// them.
	SharedStore bool
	// Etcd returns the URL of the etcd of an API server (its Name), for tests that put a network in between or exchange the
	// etcd. Nil: see SharedStore.
	Etcd func(program string) string
	// WithoutController leaves roadstead-controller out.
	WithoutController bool
	// Restart starts a program again that ended by itself, as kubelet does.
	Restart bool
	// Logf is told what happens. Nil: silence.
	Logf func(format string, args ...any)
}

// Front passes connections on to the API servers that are ready.
type Front interface {
	// Port is the port of this machine that stands for the Service's.
	Port() string
	// Add tells of an API server ("host:port") that is about to start.
	Add(address string)
}

// base is the shipped kustomize base, below the checkout's root.
var base = filepath.Join("artifacts", "deploy", "base")

// prepare fills in the defaults, makes the work folder and gives that of the manifests.
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
	// The programs run in another working directory than this one.
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

// Manifests gives the path of a kustomize folder below artifacts/deploy, such as "guard". The working directory must be in the
// checkout.
func Manifests(name string) (string, error) {
	root, err := findRoot()
	if err != nil {
		return "", err
	}
	return filepath.Join(root, filepath.Dir(base), name), nil
}

// findRoot walks up from the working directory: go test runs in the folder of the tested package.
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
