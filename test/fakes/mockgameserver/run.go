// SPDX-License-Identifier: Apache-2.0

package mockgameserver

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// defaultStartDelay is for tests.
const defaultStartDelay = 50 * time.Millisecond

// errFatal marks errors for which the real program exits.
var errFatal = errors.New("fatal")

// program is one run of the program.
type program struct {
	config
	Process
	opts  Options
	store store

	mu    sync.Mutex
	link  *link // the current connection; nil between two
	sim   simulation
	stirs chan struct{} // the simulation has changed
}

// Run runs the program until ctx is done (exit code 0) or it exits by itself (1).
func Run(ctx context.Context, opts Options, process Process) int {
	p := &program{config: readConfig(process.Env), Process: process, opts: opts, stirs: make(chan struct{}, 1)}
	p.ServeProbes(http.HandlerFunc(p.serveHTTP))
	if !sleep(ctx, cmp.Or(opts.StartDelay, defaultStartDelay)) {
		return 0
	}
	if p.registrationToken == defaultRegistration || p.identityToken == defaultIdentity {
		<-ctx.Done()
		return 0
	}
	err := p.serve(ctx)
	if errors.Is(err, errFatal) {
		p.Logf("error: Failed to register with Takaro server: %v", err)
		return 1
	}
	return 0
}

// serve registers, connects to Redis, and runs until ctx is done. This is the order of the real
// program: a wrong Redis password is reported only after the game server was created in Takaro.
func (p *program) serve(ctx context.Context) error {
	p.store = newStore(p.config)
	defer p.store.close()
	ctx, stop := context.WithCancel(ctx)
	var tasks sync.WaitGroup
	defer tasks.Wait()
	defer stop()
	first, err := p.register(ctx)
	if err != nil {
		return err
	}
	tasks.Go(func() { p.stayConnected(ctx, first) })
	if err := p.openStore(ctx); err != nil {
		return err
	}
	tasks.Go(func() { p.simulate(ctx) })
	<-ctx.Done()
	return nil
}

// openStore connects to Redis. It retries a refused connection indefinitely; a wrong password or
// name is fatal.
func (p *program) openStore(ctx context.Context) error {
	for {
		err := p.store.ready(ctx)
		if ctx.Err() != nil || err == nil {
			return ctx.Err()
		}
		if fatalInRedis(err) {
			return errors.Join(errFatal, err)
		}
		p.Logf("error: Failed to connect to Takaro: %v", err)
		if !sleep(ctx, p.opts.scaled(500*time.Millisecond)) {
			return ctx.Err()
		}
	}
}

// serveHTTP serves the meta routes on the port of the program. It refuses probes of another port,
// on which nothing listens.
func (p *program) serveHTTP(w http.ResponseWriter, r *http.Request) {
	_, port, _ := net.SplitHostPort(r.Host)
	body := ""
	switch {
	case port != strconv.FormatFloat(p.port, 'f', -1, 64):
		w.WriteHeader(http.StatusBadGateway)
	case r.URL.Path == "/healthz":
		body = `{"healthy":true}`
	case r.URL.Path == "/readyz": // always healthy once there is a Redis client
		body = `{"healthy":false}`
	case r.URL.Path == "/metrics":
		body = "# no metrics\n"
	default:
		w.WriteHeader(http.StatusNotFound)
	}
	_, _ = io.WriteString(w, body)
}
