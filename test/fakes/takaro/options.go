// SPDX-License-Identifier: Apache-2.0

package takaro

import "time"

// TokenLifetime is how long a domain token of the real API lives: exp minus iat of every recorded token.
const TokenLifetime = 5 * 24 * time.Hour

// Options configure a Server. The zero value is useful: a free port, a random admin token, no delays.
type Options struct {
	// Listen is the address for Start, default 127.0.0.1:0 (loopback, a free port).
	Listen string
	// AdminToken is what X-Takaro-Admin-Token must carry; empty means a random one, see Server.AdminToken.
	AdminToken string
	// Latency is added to every answer.
	Latency time.Duration
	// CreateLatency is how long POST /domain takes between the insert of the row and that of its root user. The real API
	// needs 0.7 to 4.6 s there, during which a search already finds the domain.
	CreateLatency time.Duration
	// TokenLifetime is exp minus iat of domain tokens, default the constant of the same name.
	TokenLifetime time.Duration
	// Control enables the paths below /__control/ (see README.md).
	Control bool
	// Now is the clock, default time.Now.
	Now func() time.Time
}
