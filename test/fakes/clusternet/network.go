// SPDX-License-Identifier: Apache-2.0

package clusternet

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"sync"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// The range of the second byte of the loopback addresses of a network. Systems use lower values
// themselves.
const (
	firstPrefix = 64
	lastPrefix  = 250
	// keptHost and keptPort are the address on which a network listens to reserve its prefix on
	// this machine.
	keptHost, keptPort = "255.253", "10249"
)

// Network is the network of one cluster. All methods may be called concurrently.
type Network struct {
	dir      string
	prefix   byte
	kept     net.Listener
	socket   net.Listener
	server   *http.Server
	serving  sync.WaitGroup
	stop     context.CancelFunc
	informer informers.SharedInformerFactory
	routes   *router
}

// New returns a network with its socket and configuration in dir, which must exist. The path of dir
// must be short because the path of a socket is limited to 107 bytes. The network refuses every
// connection until Connect.
func New(dir string) (*Network, error) {
	n := &Network{dir: dir, routes: &router{}}
	if err := n.listen(); err != nil {
		return nil, errors.Join(fmt.Errorf("clusternet: %w", err), n.Close())
	}
	n.server = &http.Server{Handler: http.HandlerFunc(n.connect), ReadHeaderTimeout: time.Minute}
	n.serving.Go(func() { _ = n.server.Serve(n.socket) })
	return n, nil
}

func (n *Network) listen() error {
	var err error
	for range 20 {
		n.prefix = byte(firstPrefix + rand.IntN(lastPrefix-firstPrefix+1))
		if n.kept, err = net.Listen("tcp", fmt.Sprintf("127.%d.%s:%s", n.prefix, keptHost, keptPort)); err == nil {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("no part of 127.0.0.0/8 is free: %w", err)
	}
	if n.socket, err = net.Listen("unix", n.socketPath()); err != nil {
		return err
	}
	return os.WriteFile(n.configPath(), fmt.Appendf(nil, `apiVersion: apiserver.k8s.io/v1beta1
kind: EgressSelectorConfiguration
egressSelections:
  - name: cluster
    connection:
      proxyProtocol: HTTPConnect
      transport:
        uds:
          udsName: %s
`, n.socketPath()), 0o600)
}

func (n *Network) socketPath() string { return filepath.Join(n.dir, "network.sock") }
func (n *Network) configPath() string { return filepath.Join(n.dir, "egress.yaml") }

// KubeAPIServerArgs returns the arguments with which kube-apiserver reaches the cluster through
// this network. It reaches nodes by their addresses because their names cannot be resolved.
func (n *Network) KubeAPIServerArgs() []string {
	return []string{"--egress-selector-config-file=" + n.configPath(), "--kubelet-preferred-address-types=InternalIP"}
}

// Connect watches the Services and endpoints of the cluster until Close. It returns when the caches
// are synced.
func (n *Network) Connect(ctx context.Context, config *rest.Config) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("clusternet: %w", err)
	}
	following, stop := context.WithCancel(context.Background())
	n.stop = stop
	n.informer = informers.NewSharedInformerFactory(client, 0)
	services, slices := n.informer.Core().V1().Services(), n.informer.Discovery().V1().EndpointSlices()
	synced := []cache.InformerSynced{services.Informer().HasSynced, slices.Informer().HasSynced}
	n.informer.Start(following.Done())
	if !cache.WaitForCacheSync(ctx.Done(), synced...) {
		return fmt.Errorf("clusternet: the lists of Services and EndpointSlices did not come: %w", ctx.Err())
	}
	n.routes.follow(services.Lister(), slices.Lister())
	return nil
}

// Address returns the loopback address on which a program must listen to receive connections to ip,
// that of a pod or a node (10.x.y.z): the same port on 127.p.y.z, where p is the prefix of this
// network.
func (n *Network) Address(ip string) (string, error) {
	address, err := netip.ParseAddr(ip)
	if err != nil || !address.Is4() {
		return "", fmt.Errorf("clusternet: %q is no IPv4 address", ip)
	}
	b := address.As4()
	return netip.AddrFrom4([4]byte{127, n.prefix, b[2], b[3]}).String(), nil
}

// Close ends the network and all its connections. It may be called more than once.
func (n *Network) Close() error {
	var err error
	if n.stop != nil {
		n.stop()
		n.informer.Shutdown()
	}
	if n.server != nil {
		err = n.server.Close()
		n.routes.close()
		n.serving.Wait()
	}
	for _, l := range []net.Listener{n.socket, n.kept} {
		if l != nil {
			if e := l.Close(); !errors.Is(e, net.ErrClosed) {
				err = errors.Join(err, e)
			}
		}
	}
	return err
}
