// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"cmp"
	"crypto/tls"
	"time"
)

// TokenLifetime is the lifetime of a domain token of the real API: exp minus iat of every recorded
// token.
const TokenLifetime = 5 * 24 * time.Hour

// Options configure a Server. The zero value is valid: an available port, a random admin token, no
// delays.
type Options struct {
	// Listen is the address for Start. Defaults to 127.0.0.1:0 (loopback, an available port).
	Listen string
	// ConnectorListen is the address of the connector's WebSocket for Start. Empty disables the
	// connector. Port 0 selects an available port.
	ConnectorListen string
	// TLS and ConnectorTLS make Start serve the API over https and the connector over wss, with the
	// certificates in them. Nil disables TLS.
	TLS, ConnectorTLS *tls.Config
	// IdentifyTimeout is how long a WebSocket may stay open without having identified. Defaults to
	// 5 s.
	IdentifyTimeout time.Duration
	// PingInterval is the time between two pings to a game server. Defaults to 30 s.
	PingInterval time.Duration
	// ReachableInterval is how often Takaro sets reachable from the connections. Defaults to 30 s.
	// It applies only with a connector.
	ReachableInterval time.Duration
	// RequestTimeout is how long a connected game server may take to answer. Defaults to 10 s.
	RequestTimeout time.Duration
	// AdminToken is the required value of X-Takaro-Admin-Token. Empty means a random one, see
	// Server.AdminToken.
	AdminToken string
	// Latency is added to every response.
	Latency time.Duration
	// CreateLatency is how long POST /domain takes between the insert of the row and that of its
	// root user. The real API needs 0.7 to 4.6 s there, during which a search already finds the
	// domain.
	CreateLatency time.Duration
	// TokenLifetime is exp minus iat of domain tokens. Defaults to the constant of the same name.
	TokenLifetime time.Duration
	// Control enables the paths below /__control/ (see README.md).
	Control bool
	// Realism selects the behaviors of a real Takaro that are off by default, see SetRealism.
	Realism Realism
	// Now is the clock. Defaults to time.Now.
	Now func() time.Time
}

// withDefaults sets the default of every empty field.
func (o Options) withDefaults() Options {
	o.AdminToken = cmp.Or(o.AdminToken, randomHex(24))
	o.TokenLifetime = cmp.Or(o.TokenLifetime, TokenLifetime)
	o.Listen = cmp.Or(o.Listen, "127.0.0.1:0")
	o.IdentifyTimeout = cmp.Or(o.IdentifyTimeout, 5*time.Second)
	o.PingInterval = cmp.Or(o.PingInterval, 30*time.Second)
	o.ReachableInterval = cmp.Or(o.ReachableInterval, 30*time.Second)
	o.RequestTimeout = cmp.Or(o.RequestTimeout, 10*time.Second)
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}
