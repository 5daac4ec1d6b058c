// SPDX-License-Identifier: Apache-2.0

package epoch

import (
	"io"
	"net"
	"net/url"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/storage/etcd"
)

// proxy is an address behind which the etcd can be replaced.
type proxy struct {
	address string
	mu      sync.Mutex
	target  string
	open    []net.Conn
}

func newProxy(t *testing.T, target *etcd.Server) *proxy {
	t.Helper()
	p := &proxy{address: filepath.Join(t.TempDir(), "socket")}
	p.swap(t, target)
	listener, err := net.Listen("unix", p.address)
	require.NoError(t, err)
	var wait sync.WaitGroup
	wait.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			wait.Go(func() { p.serve(conn) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		p.swap(t, nil)
		wait.Wait()
	})
	return p
}

func (p *proxy) serve(conn net.Conn) {
	p.mu.Lock()
	back, err := net.Dial("unix", p.target)
	if err == nil {
		p.open = append(p.open, conn, back)
	}
	p.mu.Unlock()
	if err != nil {
		_ = conn.Close()
		return
	}
	var wait sync.WaitGroup
	for _, pair := range [][2]net.Conn{{conn, back}, {back, conn}} {
		wait.Go(func() {
			_, _ = io.Copy(pair[0], pair[1])
			_ = pair[0].Close()
		})
	}
	wait.Wait()
}

// swap ends all connections; new ones are to the target, or fail if it is nil.
func (p *proxy) swap(t *testing.T, target *etcd.Server) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.target = ""
	if target != nil {
		parsed, err := url.Parse(target.Endpoint())
		require.NoError(t, err)
		p.target = parsed.Path
	}
	for _, conn := range p.open {
		_ = conn.Close()
	}
	p.open = nil
}
