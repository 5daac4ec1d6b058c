// SPDX-License-Identifier: Apache-2.0

package local

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"roadstead.dev/roadstead/hack/process"
)

// Names of the programs, which are those of their ServiceAccounts too.
const (
	APIServer  = "roadstead-apiserver"
	Controller = "roadstead-controller"
)

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
	apiServer *Program
	services  []string
	// audit is the file with the shipped audit policy.
	audit string

	mu          sync.Mutex
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
	port, err := i.opts.Cluster.ReservePort()
	if err != nil {
		return err
	}
	objects, err := render(ctx, i.opts.Cluster, manifests, port)
	if err != nil {
		return err
	}
	if err := apply(ctx, i.opts.Cluster, objects); err != nil {
		return err
	}
	i.services = apiServices(objects)
	if i.audit, err = writeAuditPolicy(objects, i.opts.Dir); err != nil {
		return err
	}
	if i.apiServer, err = i.newAPIServer(ctx, APIServer, APIServer, port, i.opts.APIServerArgs); err != nil {
		return err
	}
	if err := i.apiServer.Start(ctx); err != nil {
		return err
	}
	if err := i.AwaitAvailable(ctx); err != nil || i.opts.WithoutController {
		return err
	}
	_, err = i.AddController(ctx)
	return err
}

func (i *Installation) newAPIServer(ctx context.Context, name, account, port string, args []string) (*Program, error) {
	address := "127.0.0.1:" + port
	dataDir := "etcd"
	if name != APIServer {
		dataDir = name + "-etcd"
	}
	p, err := i.newProgram(ctx, name, APIServer, account, address, append([]string{
		"--bind-address=127.0.0.1", "--secure-port=" + port,
		"--data-dir=" + filepath.Join(i.opts.Dir, dataDir),
		"--shutdown-delay-duration=0s",
		// As shipped, but into a file: standard output goes where the log goes.
		"--audit-policy-file=" + i.audit, "--audit-log-path=" + auditLog(i.opts.Dir, name),
	}, args...), nil)
	if err == nil {
		p.check = answersOK("https://" + address + "/readyz")
	}
	return p, err
}

// NewAPIServer gives one more server, which is not started yet, with data of its own and the rights of any ServiceAccount
// in Namespace. The cluster's aggregation layer does not know it: it is reached at its address only.
func (i *Installation) NewAPIServer(ctx context.Context, name, account string, args ...string) (*Program, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	port, err := i.opts.Cluster.ReservePort()
	if err != nil {
		return nil, err
	}
	p, err := i.newAPIServer(ctx, name, account, port, args)
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
	name := Controller
	if n := len(i.controllers); n > 0 {
		name = fmt.Sprintf("%s-%d", Controller, n+1)
	}
	port, err := i.opts.Cluster.ReservePort()
	if err != nil {
		return nil, err
	}
	address := "127.0.0.1:" + port
	p, err := i.newProgram(ctx, name, Controller, Controller, address, append([]string{
		"--namespace=" + Namespace, "--allow-loopback", "--metrics-bind-address=" + address,
	}, i.opts.ControllerArgs...), i.opts.ControllerEnv)
	if err != nil {
		return nil, err
	}
	p.check = answersOK("http://" + address + "/readyz")
	i.controllers = append(i.controllers, p)
	return p, p.Start(ctx)
}

// newProgram gives a program that was not started yet, with a kubeconfig of its ServiceAccount.
func (i *Installation) newProgram(ctx context.Context, name, binary, account, address string, args, env []string) (*Program, error) {
	kubeconfig := filepath.Join(i.opts.Dir, name+".kubeconfig")
	if err := i.opts.Cluster.WriteServiceAccountKubeconfig(ctx, kubeconfig, Namespace, account, tokenLife); err != nil {
		return nil, err
	}
	return &Program{name: name, address: address, run: process.Options{
		Program: filepath.Join(i.opts.BinDir, binary),
		Args:    append([]string{"--kubeconfig=" + kubeconfig}, args...),
		Dir:     i.opts.Dir, Log: filepath.Join(i.opts.Dir, name+".log"), Env: env,
	}}, nil
}

// APIServer is roadstead-apiserver.
func (i *Installation) APIServer() *Program { return i.apiServer }

// APIServerAddr is the "host:port" of roadstead-apiserver (HTTPS), past the aggregation layer.
func (i *Installation) APIServerAddr() string { return i.apiServer.Address() }

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
	if i.apiServer != nil {
		errs = append(errs, i.apiServer.Stop())
	}
	return errors.Join(errs...)
}
