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

// Dir returns the working directory.
func (c *Cluster) Dir() string { return c.opts.Dir }

// Addr returns the "host:port" of kube-apiserver (HTTPS).
func (c *Cluster) Addr() string { return c.ports.address(portAPIServer) }

// EtcdURL returns the client URL of etcd, which uses neither TLS nor a password.
func (c *Cluster) EtcdURL() string { return "http://" + c.ports.address(portEtcd) }

// Kubeconfig returns the path of the administrator's kubeconfig.
func (c *Cluster) Kubeconfig() string { return filepath.Join(c.opts.Dir, "kubeconfig") }

// CA returns the path of the certificate of the authority that issues the certificates of
// kube-apiserver and its clients.
func (c *Cluster) CA() string { return c.certs.crt("ca") }

// RequestHeaderCA returns the path of the certificate of the authority that issues the client
// certificate of the aggregator.
func (c *Cluster) RequestHeaderCA() string { return c.certs.crt("front-proxy-ca") }

// FrontProxyClient returns the paths of the client certificate and key of the aggregator. Their
// holder can impersonate any user to an aggregated server.
func (c *Cluster) FrontProxyClient() (cert, key string) {
	return c.certs.crt("front-proxy"), c.certs.key("front-proxy")
}

// AuditLog returns the path of the audit log, with one JSON event per line. The log exists when
// Options.AuditLevel is set.
func (c *Cluster) AuditLog() string { return filepath.Join(c.opts.Dir, "logs", "audit.log") }

// Logs returns the path of the log of a component.
func (c *Cluster) Logs(component string) string { return c.Component(component).Log() }

// Component returns the component with the given name. It panics if the cluster does not run that
// component, because that is an error in the calling test.
func (c *Cluster) Component(name string) *Component {
	component, ok := c.components[name]
	if !ok {
		panic(fmt.Sprintf("cluster: no component %q in this cluster", name))
	}
	return component
}

// Components returns all components in the order in which they are started.
func (c *Cluster) Components() []*Component {
	var all []*Component
	for _, name := range []string{Etcd, APIServer, ControllerManager, Scheduler, Kwok} {
		if component, ok := c.components[name]; ok {
			all = append(all, component)
		}
	}
	return all
}

// Stop stops everything that Start started, clients before servers, and returns when all processes
// have exited. It removes the working directory if Start created it. It can be called more than
// once.
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
