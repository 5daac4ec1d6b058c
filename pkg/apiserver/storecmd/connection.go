// SPDX-License-Identifier: Apache-2.0

package storecmd

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/pflag"
	"go.etcd.io/etcd/client/pkg/v3/transport"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"roadstead.dev/roadstead/pkg/apiserver/options"
	"roadstead.dev/roadstead/pkg/storage/etcd"
)

// dialTimeout bounds the first connection with etcd.
const dialTimeout = 10 * time.Second

// connection is the location of etcd: the data folder of a running server, or addresses. Its flags
// have the same names as those of the server.
type connection struct {
	dataDir       string
	servers       []string
	ca, cert, key string
}

func newConnection() *connection { return &connection{dataDir: options.New().DataDir} }

func (c *connection) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&c.dataDir, "data-dir", c.dataDir, "Data folder of the running server with the embedded etcd.")
	flags.StringSliceVar(&c.servers, "etcd-servers", c.servers, fmt.Sprintf(
		"List of etcd servers (scheme://ip:port), comma separated. Empty or %q: the etcd of --data-dir.", options.EmbeddedEtcd))
	flags.StringVar(&c.ca, "etcd-cafile", c.ca, "CA certificate file for --etcd-servers.")
	flags.StringVar(&c.cert, "etcd-certfile", c.cert, "Client certificate file for --etcd-servers.")
	flags.StringVar(&c.key, "etcd-keyfile", c.key, "Key file of the client certificate.")
}

// open returns a client and the addresses of the members.
func (c *connection) open() (*clientv3.Client, []string, error) {
	servers := c.servers
	if len(servers) == 0 || slices.Equal(servers, []string{options.EmbeddedEtcd}) {
		address, err := etcd.Running(c.dataDir)
		if err != nil {
			return nil, nil, err
		}
		servers = []string{address}
	}
	config := clientv3.Config{Endpoints: servers, DialTimeout: dialTimeout, Logger: zap.NewNop()}
	if c.ca != "" || c.cert != "" {
		if (c.cert == "") != (c.key == "") {
			return nil, nil, errors.New("--etcd-certfile and --etcd-keyfile must be set together")
		}
		info := transport.TLSInfo{CertFile: c.cert, KeyFile: c.key, TrustedCAFile: c.ca}
		tls, err := info.ClientConfig()
		if err != nil {
			return nil, nil, fmt.Errorf("etcd client certificate: %w", err)
		}
		config.TLS = tls
	}
	client, err := clientv3.New(config)
	if err != nil {
		return nil, nil, fmt.Errorf("etcd: %w", err)
	}
	return client, servers, nil
}
