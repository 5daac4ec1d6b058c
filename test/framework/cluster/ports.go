// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// Blocks of ports are allocated below the range of ephemeral ports (32768 and up on Linux), so that
// no outgoing connection can occupy one of them.
const (
	firstPort = 20000
	lastPort  = 31999
	// blockSize is sufficient for a long run in which programs are repeatedly replaced on new
	// ports.
	blockSize = 128
)

// portBlock is a block of blockSize consecutive ports. A file lock holds the block for the lifetime
// of the cluster, so that another cluster cannot use the port of a component that is stopped by a
// fault test.
type portBlock struct {
	first int
	lock  *os.File
	given atomic.Int32
}

// ReservePort returns an available port on 127.0.0.1 that is not used by anything else for the
// lifetime of the cluster. Each cluster has a limited number of such ports; ReservePort returns an
// error when they are exhausted.
func (c *Cluster) ReservePort() (string, error) {
	n := portSpare + int(c.ports.given.Add(1)) - 1
	if n >= blockSize {
		return "", fmt.Errorf("cluster: all %d spare ports of the cluster are taken", blockSize-portSpare)
	}
	return c.ports.port(n), nil
}

// address returns the loopback address with the n-th port.
func (b *portBlock) address(n int) string {
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(b.first+n))
}

// port returns the n-th port.
func (b *portBlock) port(n int) string { return strconv.Itoa(b.first + n) }

// release releases the block. It can be called twice.
func (b *portBlock) release() {
	if b.lock != nil {
		_ = b.lock.Close()
		b.lock = nil
	}
}

// reservePorts locks a block in which each port can be bound. The search begins at a random block.
func reservePorts() (*portBlock, error) {
	locks := filepath.Join(os.TempDir(), fmt.Sprintf("roadstead-ports-%d", os.Getuid()))
	if err := os.MkdirAll(locks, 0o700); err != nil {
		return nil, err
	}
	blocks := (lastPort - firstPort + 1) / blockSize
	offset := rand.IntN(blocks)
	for i := range blocks {
		block, err := tryBlock(locks, firstPort+(offset+i)%blocks*blockSize)
		if err != nil || block != nil {
			return block, err
		}
	}
	return nil, fmt.Errorf("cluster: no %d free ports in a row between %d and %d on 127.0.0.1", blockSize, firstPort, lastPort)
}

// tryBlock returns nil when the block is in use.
func tryBlock(locks string, first int) (*portBlock, error) {
	lock, err := os.OpenFile(filepath.Join(locks, strconv.Itoa(first)), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	block := &portBlock{first: first, lock: lock}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		block.release()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, nil
		}
		return nil, fmt.Errorf("cluster: lock %s: %w", lock.Name(), err)
	}
	for n := range blockSize {
		listener, err := net.Listen("tcp", block.address(n))
		if err != nil {
			block.release()
			return nil, nil
		}
		_ = listener.Close()
	}
	return block, nil
}
