// SPDX-License-Identifier: Apache-2.0

package redis

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"roadstead.dev/roadstead/test/framework/process"
)

const (
	// startLimit bounds the start, which takes about ten milliseconds.
	startLimit = 20 * time.Second
	stopLimit  = 5 * time.Second
	tries      = 3
)

// Server is one redis-server. Its data outlive Stop and Restart, and are deleted by Close.
type Server struct {
	// Host and Port are the address on which it listens (loopback).
	Host string
	Port int
	// Password is that of the user default, which has all permissions, including ACL SETUSER.
	Password string

	program, dir string
	process      *process.Process
}

// Start runs the redis-server of PATH on an available port of loopback, in a temporary directory.
// It returns an error if the program is missing.
func Start(ctx context.Context) (*Server, error) {
	program, err := exec.LookPath("redis-server")
	if err != nil {
		return nil, errors.New("redis-server is missing: apt-get install -y redis-server")
	}
	secret := make([]byte, 16)
	_, _ = rand.Read(secret) // crypto/rand.Read never fails
	for try := 1; ; try++ {
		s := &Server{Host: "127.0.0.1", Password: hex.EncodeToString(secret), program: program}
		if err = s.prepare(); err == nil {
			err = s.Restart(ctx)
		}
		if err == nil {
			return s, nil
		}
		if err = errors.Join(err, s.Close()); try == tries || ctx.Err() != nil {
			return nil, err
		}
	}
}

// prepare chooses a port, which another program may use before redis-server does, and writes the
// configuration. The configuration contains the password because every user of the machine can read
// arguments.
func (s *Server) prepare() error {
	l, err := net.Listen("tcp", net.JoinHostPort(s.Host, "0"))
	if err != nil {
		return fmt.Errorf("redis: no free port: %w", err)
	}
	s.Port = l.Addr().(*net.TCPAddr).Port
	if err := l.Close(); err != nil {
		return err
	}
	if s.dir, err = os.MkdirTemp("", "roadstead-redis-"); err != nil {
		return err
	}
	config := fmt.Sprintf("bind %s\nport %d\ndir %s\nrequirepass %s\nsave \"\"\nappendonly yes\nappendfsync no\ndaemonize no\n", s.Host,
		s.Port, s.dir, s.Password)
	return os.WriteFile(filepath.Join(s.dir, "redis.conf"), []byte(config), 0o600)
}

// Addr returns "host:port".
func (s *Server) Addr() string { return net.JoinHostPort(s.Host, strconv.Itoa(s.Port)) }

// Client returns a client as the user default; the caller closes it.
func (s *Server) Client() *goredis.Client { return s.ClientAs("", s.Password) }

// ClientAs returns a client as a user of the access control list; the caller closes it.
func (s *Server) ClientAs(username, password string) *goredis.Client {
	return goredis.NewClient(&goredis.Options{Addr: s.Addr(), Username: username, Password: password})
}

// Restart starts the server again on the same port with the same data, whether it was stopped or is
// running. Users created by ACL SETUSER no longer exist, as after a restart of a real server
// without an ACL file. It returns when the server answers.
func (s *Server) Restart(ctx context.Context) error {
	if err := s.Stop(); err != nil {
		return err
	}
	log := filepath.Join(s.dir, "redis.log")
	p, err := process.Start(process.Options{Program: s.program, Args: []string{filepath.Join(s.dir, "redis.conf")}, Dir: s.dir, Log: log})
	if err != nil {
		return fmt.Errorf("redis: %w", err)
	}
	s.process = p
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	client := s.Client()
	defer func() { _ = client.Close() }()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		last := client.Ping(ctx).Err()
		if last == nil {
			return nil
		}
		select {
		case <-p.Done():
			return fmt.Errorf("redis: redis-server ended while it was starting (%s); its log ends with:\n%s",
				fmt.Sprint(p.Err()), process.Tail(log, 10))
		case <-ctx.Done():
			return fmt.Errorf("redis: redis-server on %s does not answer: %w", s.Addr(), last)
		case <-tick.C:
		}
	}
}

// Stop ends the program and keeps the data: connections to the port are refused from now on. It may
// be called more than once.
func (s *Server) Stop() error {
	if s.process == nil {
		return nil
	}
	if err := s.process.Stop(stopLimit); err != nil {
		return fmt.Errorf("redis: end redis-server (pid %d): %w", s.process.PID(), err)
	}
	s.process = nil
	return nil
}

// Close ends the program and removes its data.
func (s *Server) Close() error {
	err := s.Stop()
	if s.dir != "" {
		err = errors.Join(err, os.RemoveAll(s.dir))
	}
	return err
}
