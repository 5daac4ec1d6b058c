// SPDX-License-Identifier: Apache-2.0

package mockgameserver

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// message is the format of the WebSocket.
type message struct {
	Type      string          `json:"type"`
	Payload   json.RawMessage `json:"payload"`
	RequestID string          `json:"requestId,omitempty"`
}

// link is one connection to the connector.
type link struct {
	conn      *websocket.Conn
	heartbeat time.Duration
	writing   sync.Mutex
}

// dial opens a connection that is cut when ctx is done. The caller must call release.
func (p *program) dial(ctx context.Context) (l *link, release func(), err error) {
	roots, err := p.roots(ctx)
	if err != nil {
		p.Logf("warning: Ignoring extra certs from %s: %v", p.extraCA, err) // as Node does
	}
	dialer := websocket.Dialer{HandshakeTimeout: 10 * time.Second, TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}
	conn, res, err := dialer.DialContext(ctx, p.url, http.Header{})
	if res != nil {
		_ = res.Body.Close()
	}
	if err != nil {
		return nil, nil, err
	}
	l = &link{conn: conn, heartbeat: p.heartbeat}
	ping := conn.PingHandler()
	conn.SetPingHandler(func(data string) error {
		l.alive()
		l.writing.Lock()
		defer l.writing.Unlock()
		return ping(data)
	})
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	return l, func() { stop(); _ = conn.Close() }, nil
}

func (p *program) roots(ctx context.Context) (*x509.CertPool, error) {
	if p.extraCA == "" {
		return nil, nil
	}
	pem, err := p.File(ctx, p.extraCA)
	if err != nil {
		return nil, err
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		return nil, err
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, errors.New("it holds no certificate in PEM form")
	}
	return pool, nil
}

// alive extends the deadline after which the connection counts as dead.
func (l *link) alive() { _ = l.conn.SetReadDeadline(time.Now().Add(l.heartbeat)) }

func (l *link) read() (m message, err error) {
	l.alive()
	err = l.conn.ReadJSON(&m)
	return m, err
}

// send writes one message. The reader detects a broken connection.
func (l *link) send(kind string, payload any, requestID string) {
	raw, err := json.Marshal(payload)
	if err != nil { // cannot happen: payloads are plain
		panic(err)
	}
	l.writing.Lock()
	defer l.writing.Unlock()
	_ = l.conn.SetWriteDeadline(time.Now().Add(5 * time.Second))
	_ = l.conn.WriteJSON(message{Type: kind, Payload: raw, RequestID: requestID})
}

// registered is the first connection, after it has identified.
type registered struct {
	link    *link
	release func()
}

// register connects until the connector has answered an identify message. It retries refused and
// lost connections; an error in the answer is fatal.
func (p *program) register(ctx context.Context) (registered, error) {
	for attempt := 1; ; attempt++ {
		l, release, err := p.dial(ctx)
		if err == nil {
			if err = p.identify(l); err == nil {
				return registered{l, release}, nil
			}
			release()
		}
		if ctx.Err() != nil {
			return registered{}, ctx.Err()
		}
		if errors.Is(err, errFatal) {
			return registered{}, err
		}
		p.Logf("error: WebSocket error: %v", err)
		if !p.forever && float64(attempt) >= p.maxAttempts {
			p.Logf("error: Max reconnection attempts reached")
			<-ctx.Done()
			return registered{}, ctx.Err()
		}
		if !sleep(ctx, p.opts.scaled(min(p.interval*time.Duration(min(attempt, 1000)), max(p.most, p.interval)))) {
			return registered{}, ctx.Err()
		}
	}
}

func (p *program) identify(l *link) error {
	p.Logf("info: Connected to WebSocket server")
	l.send("identify", map[string]string{"identityToken": p.identityToken, "registrationToken": p.registrationToken}, "")
	for {
		m, err := l.read()
		if err != nil {
			return err
		}
		if m.Type != "identifyResponse" {
			continue
		}
		var answer struct {
			Error *struct {
				Name, Message string
				HTTP          int
			}
		}
		if err := json.Unmarshal(m.Payload, &answer); err != nil {
			return err
		}
		if e := answer.Error; e != nil {
			return fmt.Errorf("%w: %s (%d): %s", errFatal, e.Name, e.HTTP, e.Message)
		}
		p.Logf("info: Successfully identified with the server")
		return nil
	}
}

// stayConnected answers requests. After a lost connection it has the bug of the real program: if
// one reconnect fails, it does not retry, and if one succeeds, it does not identify, so
// that the connector closes the connection repeatedly.
func (p *program) stayConnected(ctx context.Context, first registered) {
	l, release := first.link, first.release
	for {
		p.setLink(l)
		p.answer(ctx, l)
		p.setLink(nil)
		release()
		if ctx.Err() != nil {
			return
		}
		p.Logf("info: Disconnected from WebSocket server")
		if !sleep(ctx, p.opts.scaled(p.interval)) {
			return
		}
		var err error
		if l, release, err = p.dial(ctx); err != nil {
			p.Logf("error: Uncaught 'error' event: %v", err)
			return
		}
		p.Logf("info: Connected to WebSocket server")
	}
}

func (p *program) setLink(l *link) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.link = l
}

// answer handles requests until the connection ends.
func (p *program) answer(ctx context.Context, l *link) {
	for {
		m, err := l.read()
		if err != nil {
			return
		}
		var request struct{ Action, Args string }
		if m.Type != "request" || json.Unmarshal(m.Payload, &request) != nil {
			continue
		}
		switch request.Action {
		case "testReachability":
			l.send("response", map[string]any{"connectable": true, "latency": 42}, m.RequestID)
		case "listItems", "listEntities", "listBans", "getPlayers":
			l.send("response", []any{}, m.RequestID)
		case "executeConsoleCommand":
			var args struct{ Command string }
			_ = json.Unmarshal([]byte(request.Args), &args) // without arguments: an unknown command
			text, success := p.command(ctx, args.Command)
			l.send("response", map[string]any{"rawResult": text, "success": success}, m.RequestID)
		default:
			l.send("error", map[string]string{"message": "Unknown action requested: " + request.Action}, m.RequestID)
		}
	}
}
