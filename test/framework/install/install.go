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

// Names of the programs, which are those of their ServiceAccounts too.
const (
	APIServer  = "roadstead-apiserver"
	Controller = "roadstead-controller"
)

// ReadinessPath is the path of the shipped readiness probe. A server whose etcd is unavailable or full, or that lost a right in
// the cluster, stays ready, because without an endpoint the cluster has no discovery of Roadstead's groups. A server
// that refuses its store is unready only
// while another server renews the Lease of the store, so that a rollout to a wrong etcd halts.
const ReadinessPath = "/readyz?exclude=etcd&exclude=etcd-readiness&exclude=etcd-quota&exclude=host-rights"

const (
	// Namespace is where the manifests install Roadstead.
	Namespace = "roadstead-system"
	// tokenLife is longer than any demo stays up.
	tokenLife = 24 * time.Hour
	// installLimit bounds Install. It takes a few seconds; a machine busy with a compile takes longer.
	installLimit = 2 * time.Minute
)

// Installation is Roadstead in a cluster.
type Installation struct {
	opts      Options
	manifests []*unstructured.Unstructured
	services  []string

	mu          sync.Mutex
	apiServers  []*Program
	controllers []*Program
	further     []*Program
}

// Install applies the manifests, starts the programs with the rights of their ServiceAccounts, and returns when the
// cluster serves our APIs. It runs until Stop; ctx bounds only the installation. On an error all that was started has
// been ended.
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
	// Its kubeconfig needs the ServiceAccount, which is in the manifests.
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

// AddAPIServer starts one more API server behind the Front and returns when it is ready. The args come after those of all
// API servers, so they win. With an error the server is given if it may come up later, nil if it cannot.
func (i *Installation) AddAPIServer(ctx context.Context, args ...string) (*Program, error) {
	p, err := i.nextAPIServer(args...)
	if err != nil {
		return nil, err
	}
	// Its kubeconfig needs the ServiceAccount, which is in the manifests.
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

// nextAPIServer gives the next API server, which was not started yet.
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
		// The work folder is often in /tmp, and that often in memory.
		"--dev",
		// As shipped, but into a file: standard output goes where the log goes.
		"--audit-policy-file=" + i.auditPolicy(), "--audit-log-path=" + auditLog(i.opts.Dir, name),
	}, args...), nil)
	p.check = answersOK("https://" + address + "/readyz")
	p.answers = func(ctx context.Context) error { return Ready(ctx, address) }
	return p, nil
}

// auditPolicy is the file with the shipped audit policy.
func (i *Installation) auditPolicy() string {
	return filepath.Join(i.opts.Dir, APIServer+"-audit-policy.yaml")
}

// numbered gives the first of several the plain name.
func numbered(name string, before int) string {
	if before == 0 {
		return name
	}
	return fmt.Sprintf("%s-%d", name, before+1)
}

// NewAPIServer gives one more server, which is not started yet, with data of its own and the rights of any ServiceAccount
// in Namespace. The cluster's aggregation layer does not know it: it is reached at its address only.
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

// AuditLog is the path of the audit log of roadstead-apiserver, unless its arguments say otherwise.
func (i *Installation) AuditLog() string { return auditLog(i.opts.Dir, APIServer) }

func auditLog(dir, name string) string { return filepath.Join(dir, name+"-audit.log") }

// AddController starts one more controller and returns when it is ready; the Lease decides which one works. The first
// one is Install's, unless Options.WithoutController was set.
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

// writeKubeconfig writes the one by which a program reaches the cluster as its ServiceAccount.
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

// newProgram gives a program that was not started yet.
func (i *Installation) newProgram(name, account, address string, args, env []string) *Program {
	return &Program{name: name, address: address, restart: i.opts.Restart, run: process.Options{
		Program: filepath.Join(i.opts.BinDir, account),
		Args:    append([]string{"--kubeconfig=" + i.kubeconfig(name)}, args...),
		Dir:     i.opts.Dir, Log: filepath.Join(i.opts.Dir, name+".log"), Env: env,
	}}
}

// APIServer is the first roadstead-apiserver, nil when none was made yet.
func (i *Installation) APIServer() *Program {
	all := i.APIServers()
	if len(all) == 0 {
		return nil
	}
	return all[0]
}

// APIServers are all of them, in the order of their start, ended ones included.
func (i *Installation) APIServers() []*Program {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.apiServers)
}

// APIServerAddr is the "host:port" of the first roadstead-apiserver (HTTPS), past the aggregation layer.
func (i *Installation) APIServerAddr() string { return i.APIServer().Address() }

// Controller is the first roadstead-controller, nil when none was started.
func (i *Installation) Controller() *Program {
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.controllers) == 0 {
		return nil
	}
	return i.controllers[0]
}

// Stop ends all programs, clients before the server, and returns when they have ended. It may be called more than once.
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
