// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/sync/errgroup"
	"k8s.io/client-go/rest"
)

// Cluster is a running control plane.
type Cluster struct {
	opts       Options
	temporary  bool
	ports      *portBlock
	certs      *certs
	admin      *rest.Config
	components map[string]*Component

	stop    sync.Mutex
	stopped bool
}

// Dir is the work folder.
func (c *Cluster) Dir() string { return c.opts.Dir }

// Addr is the "host:port" of kube-apiserver (HTTPS).
func (c *Cluster) Addr() string { return c.ports.address(portAPIServer) }

// EtcdURL is where etcd serves clients, without TLS or password.
func (c *Cluster) EtcdURL() string { return "http://" + c.ports.address(portEtcd) }

// Kubeconfig is the path of the administrator's kubeconfig.
func (c *Cluster) Kubeconfig() string { return filepath.Join(c.opts.Dir, "kubeconfig") }

// CA is the path of the certificate of the authority of kube-apiserver and of its clients.
func (c *Cluster) CA() string { return c.certs.crt("ca") }

// RequestHeaderCA is the path of the certificate of the authority that the aggregator's client
// certificate comes from.
func (c *Cluster) RequestHeaderCA() string { return c.certs.crt("front-proxy-ca") }

// FrontProxyClient gives the paths of the aggregator's client certificate and key: whoever has them can
// tell an aggregated server that he is anyone.
func (c *Cluster) FrontProxyClient() (cert, key string) {
	return c.certs.crt("front-proxy"), c.certs.key("front-proxy")
}

// AuditLog is the path of the audit log, one JSON event a line; it exists when Options.AuditLevel is set.
func (c *Cluster) AuditLog() string { return filepath.Join(c.opts.Dir, "logs", "audit.log") }

// Logs is the path of a component's log.
func (c *Cluster) Logs(component string) string { return c.Component(component).Log() }

// Component gives a component by its name. It panics for a name that this cluster does not run, which is
// a mistake in the calling test.
func (c *Cluster) Component(name string) *Component {
	component, ok := c.components[name]
	if !ok {
		panic(fmt.Sprintf("cluster: no component %q in this cluster", name))
	}
	return component
}

// Components gives all of them in the order of their start.
func (c *Cluster) Components() []*Component {
	var all []*Component
	for _, name := range []string{Etcd, APIServer, ControllerManager, Scheduler, Kwok} {
		if component, ok := c.components[name]; ok {
			all = append(all, component)
		}
	}
	return all
}

// Stop ends what Start started, clients before servers, and returns when all has ended. It removes the
// work folder if Start made it. It may be called more than once.
func (c *Cluster) Stop() error {
	c.stop.Lock()
	defer c.stop.Unlock()
	if c.stopped {
		return nil
	}
	var clients errgroup.Group
	for _, component := range c.Components() {
		if component.name != Etcd && component.name != APIServer {
			clients.Go(component.Stop)
		}
	}
	errs := []error{clients.Wait()}
	for _, name := range []string{APIServer, Etcd} {
		if component, ok := c.components[name]; ok {
			errs = append(errs, component.Stop())
		}
	}
	c.ports.release()
	if c.temporary {
		errs = append(errs, os.RemoveAll(c.opts.Dir))
	}
	err := errors.Join(errs...)
	c.stopped = err == nil
	return err
}
