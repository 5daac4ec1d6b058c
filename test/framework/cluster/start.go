// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// Start starts a cluster and returns when it is usable: kube-apiserver is ready and, in a full
// cluster, the node is Ready and pods can be created in namespace default. The cluster runs until
// Stop; ctx bounds only the start. On an error, Start stops everything that it started.
func Start(ctx context.Context, opts Options) (*Cluster, error) {
	const tries = 3
	for try := 1; ; try++ {
		c, err := startOnce(ctx, opts)
		if try == tries || !errors.Is(err, errPortTaken) {
			return c, err
		}
	}
}

func startOnce(ctx context.Context, opts Options) (*Cluster, error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	begin := time.Now()
	temporary, err := opts.prepare()
	if err != nil {
		return nil, err
	}
	c := &Cluster{opts: opts, temporary: temporary, ports: &portBlock{}, components: map[string]*Component{}}
	if err := c.bringUp(ctx); err != nil {
		return nil, errors.Join(err, c.Stop())
	}
	opts.Logf("the cluster in %s is ready after %d ms", opts.Dir, time.Since(begin).Milliseconds())
	return c, nil
}

func (c *Cluster) bringUp(ctx context.Context) error {
	if err := c.prepare(); err != nil {
		return err
	}
	for _, name := range []string{Etcd, APIServer} {
		if err := c.Component(name).Start(ctx); err != nil {
			return err
		}
	}
	client, err := kubernetes.NewForConfig(c.admin)
	if err != nil {
		return err
	}
	server := c.Component(APIServer)
	if c.opts.Minimal {
		return server.await(ctx, server.process, checkNamespace(client))
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return createNode(ctx, client) })
	for name, check := range map[string]func(context.Context) error{
		ControllerManager: checkServiceAccount(client), Scheduler: nil, Kwok: checkNode(client),
	} {
		component := c.Component(name)
		group.Go(func() error {
			if err := component.Start(ctx); err != nil || check == nil {
				return err
			}
			return component.await(ctx, component.process, check)
		})
	}
	return group.Wait()
}

// prepare writes everything that the programs read: directories, certificates, kubeconfigs and
// flags.
func (c *Cluster) prepare() error {
	pki := filepath.Join(c.opts.Dir, "certs")
	for _, dir := range []string{pki, filepath.Join(c.opts.Dir, "data"), filepath.Join(c.opts.Dir, "logs")} {
		if err := os.RemoveAll(dir); err != nil {
			return fmt.Errorf("cluster: empty the work folder: %w", err)
		}
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
	}
	var err error
	if c.opts.EtcdData != "" {
		if err = copyData(c.etcdData(), c.opts.EtcdData); err != nil {
			return err
		}
	}
	if c.ports, err = reservePorts(); err != nil {
		c.ports = &portBlock{}
		return err
	}
	if c.certs, err = writeCerts(pki); err != nil {
		return err
	}
	if err := c.writeKubeconfigs(); err != nil {
		return err
	}
	if c.opts.AuditLevel != "" {
		policy := "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- level: " + c.opts.AuditLevel + "\n"
		if err := os.WriteFile(c.auditPolicy(), []byte(policy), 0o644); err != nil {
			return err
		}
	}
	return c.addComponents()
}

func (c *Cluster) auditPolicy() string {
	return filepath.Join(c.opts.Dir, "certs", "audit-policy.yaml")
}

func (c *Cluster) addComponents() error {
	secure, err := rest.HTTPClientFor(c.admin)
	if err != nil {
		return err
	}
	c.add(Etcd, portEtcd, c.etcdArgs(), http.DefaultClient, "http://%s/health")
	c.add(APIServer, portAPIServer, c.apiServerArgs(), secure, "https://%s/readyz")
	if c.opts.Minimal {
		return nil
	}
	kwok, err := c.kwokArgs()
	if err != nil {
		return err
	}
	c.add(ControllerManager, portControllerManager, c.controllerManagerArgs(), secure, "https://%s/healthz")
	c.add(Scheduler, portScheduler, c.schedulerArgs(), secure, "https://%s/readyz")
	c.add(Kwok, portKwok, kwok, http.DefaultClient, "http://%s/healthz")
	return nil
}

func (c *Cluster) add(name string, port int, args []string, client *http.Client, health string) {
	address := c.ports.address(port)
	c.components[name] = &Component{
		name: name, program: filepath.Join(c.opts.ToolsDir, name), args: args, dir: c.opts.Dir,
		address: address, options: &c.opts, check: getOK(client, fmt.Sprintf(health, address)),
	}
}
