// SPDX-License-Identifier: Apache-2.0

package install

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"roadstead.dev/roadstead/test/framework/process"
)

// Names of the programs, which are also the names of their ServiceAccounts.
const (
	APIServer  = "roadstead-apiserver"
	Controller = "roadstead-controller"
)

// ReadinessPath is the path of the shipped readiness probe. A server whose etcd is unavailable or
// full, or that lost a right in the cluster, stays ready, because without an endpoint the cluster
// has no discovery of Roadstead's groups. A server that refuses its store is unready only while
// another server renews the Lease of the store, so that a rollout to a wrong etcd halts.
const ReadinessPath = "/readyz?exclude=etcd&exclude=etcd-readiness&exclude=etcd-quota&exclude=host-rights"

const (
	// Namespace is the namespace into which the manifests install Roadstead.
	Namespace = "roadstead-system"
	// tokenLife is longer than the lifetime of any demo.
	tokenLife = 24 * time.Hour
	// installLimit bounds Install, which takes a few seconds. An installation during a compilation
	// takes longer.
	installLimit = 2 * time.Minute
)

// Installation is Roadstead installed in a cluster.
type Installation struct {
	opts      Options
	manifests []*unstructured.Unstructured
	services  []string

	mu          sync.Mutex
	apiServers  []*Program
	controllers []*Program
	further     []*Program
}

// Install applies the manifests, starts the programs with the rights of their ServiceAccounts, and
// returns when the cluster serves Roadstead's APIs. The installation runs until Stop; ctx bounds
// only the installation. On an error, Install stops everything that it started.
func Install(ctx context.Context, opts Options) (*Installation, error) {
	ctx, cancel := context.WithTimeout(ctx, installLimit)
	defer cancel()
	begin := time.Now()
	manifests, err := opts.prepare()
	if err != nil {
		return nil, err
	}
	i := &Installation{opts: opts}
	if err := i.bringUp(ctx, manifests); err != nil {
		return nil, errors.Join(err, i.Stop())
	}
	opts.Logf("Roadstead is installed after %d ms", time.Since(begin).Milliseconds())
	return i, nil
}

func (i *Installation) bringUp(ctx context.Context, manifests string) error {
	first, err := i.nextAPIServer()
	if err != nil {
		return err
	}
	_, port, err := net.SplitHostPort(first.Address())
	if err != nil {
		return err
	}
	if i.opts.Front != nil {
		port = i.opts.Front.Port()
	}
	objects, err := render(ctx, i.opts.Cluster, manifests, port)
	if err != nil {
		return err
	}
	if err := apply(ctx, i.opts.Cluster, objects); err != nil {
		return err
	}
	i.manifests, i.services = objects, apiServices(objects)
	if err := writeAuditPolicy(objects, i.auditPolicy()); err != nil {
		return err
	}
	// The kubeconfig requires the ServiceAccount, which the manifests contain.
	if err := i.writeKubeconfig(ctx, first.name, APIServer); err != nil {
		return err
	}
	if err := i.startAPIServer(ctx, first); err != nil {
		return err
	}
	for range i.opts.Replicas - 1 {
		if _, err := i.AddAPIServer(ctx); err != nil {
			return err
		}
	}
	if err := i.AwaitAvailable(ctx); err != nil || i.opts.WithoutController {
		return err
	}
	_, err = i.AddController(ctx)
	return err
}

// AddAPIServer starts one more API server behind the Front and returns when it is ready. args
// follow the arguments of all API servers and override them. On an error, the returned server is
// nil if it cannot start anymore.
func (i *Installation) AddAPIServer(ctx context.Context, args ...string) (*Program, error) {
	p, err := i.nextAPIServer(args...)
	if err != nil {
		return nil, err
	}
	// The kubeconfig requires the ServiceAccount, which the manifests contain.
	if err := i.writeKubeconfig(ctx, p.name, APIServer); err != nil {
		return nil, err
	}
	return p, i.startAPIServer(ctx, p)
}

func (i *Installation) startAPIServer(ctx context.Context, p *Program) error {
	if i.opts.Front != nil {
		i.opts.Front.Add(p.Address())
	}
	return p.Start(ctx)
}

// nextAPIServer returns the next API server, which is not started yet.
func (i *Installation) nextAPIServer(args ...string) (*Program, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	n := len(i.apiServers)
	p, err := i.newAPIServer(numbered(APIServer, n), numbered(embeddedEtcd, n), slices.Concat(i.opts.APIServerArgs, args))
	if err == nil {
		i.apiServers = append(i.apiServers, p)
	}
	return p, err
}

func (i *Installation) newAPIServer(name, data string, args []string) (*Program, error) {
	port, err := i.opts.Cluster.ReservePort()
	if err != nil {
		return nil, err
	}
	address := "127.0.0.1:" + port
	switch {
	case i.opts.Etcd != nil:
		args = append([]string{"--etcd-servers=" + i.opts.Etcd(name)}, args...)
	case i.opts.SharedStore:
		args = append([]string{"--etcd-servers=" + i.opts.Cluster.EtcdURL()}, args...)
	}
	p := i.newProgram(name, APIServer, address, append([]string{
		"--bind-address=127.0.0.1", "--secure-port=" + port,
		"--data-dir=" + filepath.Join(i.opts.Dir, data),
		"--shutdown-delay-duration=0s",
		// --dev turns off the sync to disk. The working directory is often in /tmp, which is often
		// in memory.
		"--dev",
		// The arguments are the shipped ones, but the audit log is written to a file because
		// standard output goes to the log of the program.
		"--audit-policy-file=" + i.auditPolicy(), "--audit-log-path=" + auditLog(i.opts.Dir, name),
	}, args...), nil)
	p.check = answersOK("https://" + address + "/readyz")
	p.answers = func(ctx context.Context) error { return Ready(ctx, address) }
	return p, nil
}

// auditPolicy returns the path of the shipped audit policy.
func (i *Installation) auditPolicy() string {
	return filepath.Join(i.opts.Dir, APIServer+"-audit-policy.yaml")
}

// numbered returns name unchanged for the first instance and name with a number for further ones.
func numbered(name string, before int) string {
	if before == 0 {
		return name
	}
	return fmt.Sprintf("%s-%d", name, before+1)
}

// NewAPIServer returns one more server, which is not started yet, with separate data and the rights
// of any ServiceAccount in Namespace. The aggregation layer does not know the server, so it is
// reachable only at its address.
func (i *Installation) NewAPIServer(ctx context.Context, name, account string, args ...string) (*Program, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if err := i.writeKubeconfig(ctx, name, account); err != nil {
		return nil, err
	}
	p, err := i.newAPIServer(name, name+"-etcd", args)
	if err == nil {
		i.further = append(i.further, p)
	}
	return p, err
}

// AuditLog returns the path of the audit log of roadstead-apiserver, unless its arguments override
// it.
func (i *Installation) AuditLog() string { return auditLog(i.opts.Dir, APIServer) }

func auditLog(dir, name string) string { return filepath.Join(dir, name+"-audit.log") }

// AddController starts one more controller and returns when it is ready. The Lease decides which
// controller is active. The first one is started by Install, unless Options.WithoutController is
// set.
func (i *Installation) AddController(ctx context.Context) (*Program, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	name := numbered(Controller, len(i.controllers))
	port, err := i.opts.Cluster.ReservePort()
	if err != nil {
		return nil, err
	}
	address := "127.0.0.1:" + port
	if err := i.writeKubeconfig(ctx, name, Controller); err != nil {
		return nil, err
	}
	p := i.newProgram(name, Controller, address, append([]string{
		"--namespace=" + Namespace, "--allow-loopback", "--metrics-bind-address=" + address,
	}, i.opts.ControllerArgs...), i.opts.ControllerEnv)
	p.check = answersOK("http://" + address + "/readyz")
	i.controllers = append(i.controllers, p)
	return p, p.Start(ctx)
}

// writeKubeconfig writes the kubeconfig with which a program authenticates as its ServiceAccount.
func (i *Installation) writeKubeconfig(ctx context.Context, name, account string) error {
	if err := i.opts.Cluster.WriteServiceAccountKubeconfig(ctx, i.kubeconfig(name), Namespace, account, tokenLife); err != nil ||
		i.opts.Host == nil {
		return err
	}
	return redirect(i.kubeconfig(name), i.opts.Host(name))
}

func (i *Installation) kubeconfig(name string) string {
	return filepath.Join(i.opts.Dir, name+".kubeconfig")
}

// newProgram returns a program that is not started yet.
func (i *Installation) newProgram(name, account, address string, args, env []string) *Program {
	return &Program{name: name, address: address, restart: i.opts.Restart, run: process.Options{
		Program: filepath.Join(i.opts.BinDir, account),
		Args:    append([]string{"--kubeconfig=" + i.kubeconfig(name)}, args...),
		Dir:     i.opts.Dir, Log: filepath.Join(i.opts.Dir, name+".log"), Env: env,
	}}
}

// APIServer returns the first roadstead-apiserver, or nil if there is none yet.
func (i *Installation) APIServer() *Program {
	all := i.APIServers()
	if len(all) == 0 {
		return nil
	}
	return all[0]
}

// APIServers returns all API servers in the order of their start, including those that have exited.
func (i *Installation) APIServers() []*Program {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.apiServers)
}

// APIServerAddr returns the "host:port" of the first roadstead-apiserver (HTTPS), which bypasses
// the aggregation layer.
func (i *Installation) APIServerAddr() string { return i.APIServer().Address() }

// Controller returns the first roadstead-controller, or nil if none was started.
func (i *Installation) Controller() *Program {
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.controllers) == 0 {
		return nil
	}
	return i.controllers[0]
}

// Stop stops all programs, clients before servers, and returns when they have exited. It can be
// called more than once.
func (i *Installation) Stop() error {
	i.mu.Lock()
	programs := slices.Concat(i.controllers, i.further)
	i.mu.Unlock()
	var errs []error
	for _, program := range programs {
		errs = append(errs, program.Stop())
	}
	for _, server := range i.APIServers() {
		errs = append(errs, server.Stop())
	}
	return errors.Join(errs...)
}
