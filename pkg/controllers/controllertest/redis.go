// SPDX-License-Identifier: Apache-2.0

package controllertest

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"strconv"
	"sync"

	"github.com/stretchr/testify/require"
)

// redisFront is a proxy between controllers and a Redis: each command is a call at which a
// controller can be killed.
type redisFront struct {
	target string

	mu  sync.Mutex
	run *Run // nil: commands are only forwarded
}

// FrontRedis starts a proxy for the Redis at target ("host:port") and returns its host and port.
// Controllers that use it can also be killed at their commands.
func (w *World[T]) FrontRedis(target string) (host string, port int) {
	w.T.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(w.T, err)
	w.T.Cleanup(func() { _ = listener.Close() })
	w.redis = &redisFront{target: target}
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return // the test ends
			}
			go w.redis.serve(client)
		}
	}()
	address := listener.Addr().(*net.TCPAddr)
	return address.IP.String(), address.Port
}

// pass assigns new connections to a run. If run is nil, their commands are only forwarded.
func (f *redisFront) pass(run *Run) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.run = run
}

// serve forwards commands and their responses sequentially, until either side closes the connection
// or the controller is killed.
func (f *redisFront) serve(client net.Conn) {
	defer func() { _ = client.Close() }()
	f.mu.Lock()
	run := f.run
	f.mu.Unlock()
	redis, err := net.Dial("tcp", f.target)
	if err != nil {
		return
	}
	commands, answers := bufio.NewReader(client), bufio.NewReader(redis)
	hand := func(command []byte) ([]byte, error) {
		if _, err := redis.Write(command); err != nil {
			return nil, err
		}
		return readRESP(answers)
	}
	late := false
	defer func() {
		if !late {
			_ = redis.Close()
		}
	}()
	for {
		command, err := readRESP(commands)
		if err != nil {
			return
		}
		if run != nil {
			if now, earlier := run.strike(); now || earlier {
				switch {
				case now && run.when == After:
					_, _ = hand(command)
				case now && run.when == Late:
					late = true
					run.later(&run.lateRedis, func() {
						_, _ = hand(command)
						_ = redis.Close()
					})
				}
				run.cancel()
				return
			}
		}
		answer, err := hand(command)
		if err != nil {
			return
		}
		if _, err := client.Write(answer); err != nil {
			return
		}
	}
}

// readRESP reads one value of the Redis protocol, and returns it unchanged.
func readRESP(in *bufio.Reader) ([]byte, error) {
	line, err := in.ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	parts := 0
	switch line[0] {
	case '$', '=', '!':
		length, err := strconv.Atoi(string(bytes.TrimSpace(line[1:])))
		if err != nil || length < 0 {
			return line, err
		}
		text := make([]byte, length+2)
		_, err = io.ReadFull(in, text)
		return append(line, text...), err
	case '*', '~', '>', '%':
		if parts, err = strconv.Atoi(string(bytes.TrimSpace(line[1:]))); err != nil {
			return nil, fmt.Errorf("not of the Redis protocol: %q", line)
		}
		if line[0] == '%' {
			parts *= 2
		}
	}
	for range parts {
		part, err := readRESP(in)
		if err != nil {
			return nil, err
		}
		line = append(line, part...)
	}
	return line, nil
}
