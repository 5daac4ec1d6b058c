// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"bufio"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// echo starts a server that sends back what it receives.
func echo(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = conn.Close() }()
				_, _ = io.Copy(conn, conn)
			}()
		}
	}()
	return listener.Addr().String()
}

func dial(t *testing.T, l *Link) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := net.Dial("tcp", l.Address())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn, bufio.NewReader(conn)
}

func ask(conn net.Conn, answers *bufio.Reader, limit time.Duration) error {
	_ = conn.SetReadDeadline(time.Now().Add(limit))
	if _, err := io.WriteString(conn, "hello\n"); err != nil {
		return err
	}
	_, err := answers.ReadString('\n')
	return err
}

func started(t *testing.T, target string) *Link {
	t.Helper()
	l, err := Start("a-b", target)
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Stop() })
	return l
}

func TestWhatIsHeldArrivesLater(t *testing.T) {
	l := started(t, echo(t))
	require.Equal(t, "a-b", l.Name())
	conn, answers := dial(t, l)
	require.NoError(t, ask(conn, answers, time.Minute))
	l.Hold(true)
	l.Hold(true)
	var timeout net.Error
	require.ErrorAs(t, ask(conn, answers, 50*time.Millisecond), &timeout)
	require.True(t, timeout.Timeout())
	other, otherAnswers := dial(t, l)
	require.ErrorAs(t, ask(other, otherAnswers, 50*time.Millisecond), &timeout, "new connections are held too")
	l.Hold(false)
	_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
	line, err := answers.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "hello\n", line)
	require.NoError(t, ask(other, otherAnswers, time.Minute))
}

func TestDelay(t *testing.T) {
	l := started(t, echo(t))
	conn, answers := dial(t, l)
	l.Delay(30 * time.Millisecond)
	begin := time.Now()
	require.NoError(t, ask(conn, answers, time.Minute))
	require.GreaterOrEqual(t, time.Since(begin), 60*time.Millisecond, "there and back")
}

func TestCutEndsConnectionsAndTakesNewOnes(t *testing.T) {
	l := started(t, echo(t))
	conn, answers := dial(t, l)
	require.NoError(t, ask(conn, answers, time.Minute))
	l.Cut()
	require.Error(t, ask(conn, answers, time.Minute))
	conn, answers = dial(t, l)
	require.NoError(t, ask(conn, answers, time.Minute))
}

func TestNobodyThere(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	l := started(t, listener.Addr().String())
	conn, answers := dial(t, l)
	require.Error(t, ask(conn, answers, time.Minute))
	l.Hold(true)
	_, _ = dial(t, l)
	require.NoError(t, l.Stop(), "what is held does not hold the end up")
}

func TestRedirect_EndsConnectionsAndLeadsElsewhere(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = silent.Close() })
	l := started(t, silent.Addr().String())
	conn, answers := dial(t, l)
	accepted, err := silent.Accept()
	require.NoError(t, err)
	l.Redirect(echo(t))
	_, err = accepted.Read(make([]byte, 1))
	require.ErrorIs(t, err, io.EOF, "the previous target sees the end")
	require.Error(t, ask(conn, answers, time.Minute))
	conn, answers = dial(t, l)
	require.NoError(t, ask(conn, answers, time.Minute))
}
