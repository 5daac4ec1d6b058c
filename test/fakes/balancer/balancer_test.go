// SPDX-License-Identifier: Apache-2.0

package balancer

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// echo is a server that answers each line with its own name and the line.
func echo(t *testing.T, name string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = connection.Close() }()
				for lines := bufio.NewScanner(connection); lines.Scan(); {
					_, _ = fmt.Fprintf(connection, "%s %s\n", name, lines.Text())
				}
			}()
		}
	}()
	return listener.Addr().String()
}

type client struct {
	net.Conn
	lines *bufio.Reader
}

func dial(t *testing.T, b *Balancer) *client {
	t.Helper()
	connection, err := net.Dial("tcp", b.Address())
	require.NoError(t, err)
	t.Cleanup(func() { _ = connection.Close() })
	return &client{Conn: connection, lines: bufio.NewReader(connection)}
}

func (c *client) ask(limit time.Duration) (string, error) {
	if _, err := fmt.Fprintln(c, "hello"); err != nil {
		return "", err
	}
	_ = c.SetReadDeadline(time.Now().Add(limit))
	return c.lines.ReadString('\n')
}

func started(t *testing.T, probe func(context.Context, string) error) *Balancer {
	t.Helper()
	b, err := Start(Options{Probe: probe, Every: 10 * time.Millisecond})
	require.NoError(t, err)
	t.Cleanup(func() { _ = b.Stop() })
	return b
}

func ready(t *testing.T, b *Balancer, want int) {
	t.Helper()
	require.Eventually(t, func() bool { return len(b.Ready()) == want }, 10*time.Second, time.Millisecond)
}

func pass(context.Context, string) error { return nil }

func TestEachConnectionHasOneBackend(t *testing.T) {
	b := started(t, pass)
	one, two := echo(t, "one"), echo(t, "two")
	_, err := dial(t, b).ask(time.Minute)
	require.Error(t, err, "nobody is there")
	b.Add(one)
	b.Add(two)
	ready(t, b, 2)
	seen := map[string]int{}
	for range 4 {
		c := dial(t, b)
		first, err := c.ask(time.Minute)
		require.NoError(t, err)
		second, err := c.ask(time.Minute)
		require.NoError(t, err)
		require.Equal(t, first, second)
		seen[first]++
	}
	require.Equal(t, map[string]int{"one hello\n": 2, "two hello\n": 2}, seen)
	require.Equal(t, map[string]int{one: 2, two: 2}, b.Connections())
}

func TestABackendThatIsNotReadyKeepsItsConnections(t *testing.T) {
	var sick atomic.Bool
	one, two := echo(t, "one"), echo(t, "two")
	b := started(t, func(_ context.Context, address string) error {
		if sick.Load() && address == one {
			return errors.New("sick")
		}
		return nil
	})
	b.Add(one)
	ready(t, b, 1)
	old := dial(t, b)
	answer, err := old.ask(time.Minute)
	require.NoError(t, err)
	require.Equal(t, "one hello\n", answer)
	sick.Store(true)
	ready(t, b, 0)
	b.Add(two)
	ready(t, b, 1)
	answer, err = dial(t, b).ask(time.Minute)
	require.NoError(t, err)
	require.Equal(t, "two hello\n", answer)
	b.Remove(one)
	answer, err = old.ask(time.Minute)
	require.NoError(t, err)
	require.Equal(t, "one hello\n", answer)
}

func TestASilentBackendSaysNothing(t *testing.T) {
	one := echo(t, "one")
	b := started(t, pass)
	b.Add(one)
	ready(t, b, 1)
	c := dial(t, b)
	_, err := c.ask(time.Minute)
	require.NoError(t, err)
	b.Silence(one, true)
	_, err = c.ask(50 * time.Millisecond)
	var timeout net.Error
	require.ErrorAs(t, err, &timeout)
	require.True(t, timeout.Timeout(), "neither an answer nor an end")
	ready(t, b, 0)
	b.Silence(one, false)
	ready(t, b, 1)
	_, err = dial(t, b).ask(time.Minute)
	require.NoError(t, err)
}

func TestAKilledBackendEndsItsConnections(t *testing.T) {
	b := started(t, pass)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	b.Add(listener.Addr().String())
	ready(t, b, 1)
	c := dial(t, b)
	server, err := listener.Accept()
	require.NoError(t, err)
	require.NoError(t, server.Close())
	require.NoError(t, listener.Close())
	_, err = c.ask(time.Minute)
	require.Error(t, err)
	_, err = dial(t, b).ask(time.Minute)
	require.Error(t, err, "a connection that is refused is closed")
}

func TestStart(t *testing.T) {
	_, err := Start(Options{})
	require.ErrorContains(t, err, "Options.Probe")
	b := started(t, pass)
	_, err = Start(Options{Probe: pass, Address: b.Address()})
	require.ErrorContains(t, err, "balancer: listen")
	require.Contains(t, b.Address(), b.Port())
	require.NoError(t, b.Stop())
}
