// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/utils/clock"

	"roadstead.dev/roadstead/pkg/engine/netguard"
)

// Options are the options of a Pool. The zero value is usable; each default is next to its field.
type Options struct {
	QPS              float64         // requests per second for each key of the installation, and for all others of a host; 10
	Burst            int             // maximum burst, likewise; 20
	Timeout          time.Duration   // of one attempt, body included; 30 s
	CreateTimeout    time.Duration   // of POST /domain, which is slow if several run concurrently; 3 min
	FailureThreshold int             // failures in a row that open the circuit of a key; 5
	ProbeInterval    time.Duration   // between probes of an open circuit, and from its opening to the first; 15 s
	RetryBase        time.Duration   // before the second attempt of an idempotent call, four times that before the third; 0.2 s
	TokenHold        time.Duration   // wait after a domain token was not issued; doubled up to 32 times this value; 1 s
	IdleAfter        time.Duration   // a client unused for so long is dropped; 30 min
	MaxClients       int             // the least recently used clients above it are dropped; 2000
	Dial             netguard.Policy // which addresses may be dialed; public ones only

	// ProxyFromEnvironment uses HTTP_PROXY, HTTPS_PROXY and NO_PROXY; Dial then checks the proxy's address only.
	ProxyFromEnvironment bool

	Clock      clock.Clock           // the real one
	Registerer prometheus.Registerer // metrics are kept but not registered when nil
}

const (
	maxBodyBytes      = 16 << 20        // of one page of a search, after decompression
	maxAnswerBytes    = 1 << 20         // of any other response
	busyWait          = 5 * time.Second // wait before a retry if too many large responses are being read
	maxHeaderBytes    = 64 << 10        // of a response
	maxRetryAfter     = time.Hour       // larger values of Retry-After are cut
	maxCachedTokens   = 10_000          // per client; a domain token is about 400 bytes
	unknownTokenLife  = time.Minute     // of a token whose iat and exp cannot be read
	maxAttempts       = 3               // of an idempotent call: the first and two more
	retryBase         = time.Second / 5 // the default of Options.RetryBase
	searchPageSize    = 1000            // Takaro's maximum
	maxSearchPages    = 1000            // more pages are an error
	maxHolds          = 5               // doublings of Options.TokenHold
	maxSearchPasses   = 3               // reads of the complete list if it changes while it is read
	maxErrorTextBytes = 300
	sweepInterval     = time.Minute // between checks for idle clients
)

func (o Options) withDefaults() Options {
	if o.QPS <= 0 {
		o.QPS = 10
	}
	if o.Burst <= 0 {
		o.Burst = 20
	}
	if o.Timeout <= 0 {
		o.Timeout = 30 * time.Second
	}
	if o.CreateTimeout <= 0 {
		o.CreateTimeout = createTimeout
	}
	if o.RetryBase <= 0 {
		o.RetryBase = retryBase
	}
	if o.TokenHold <= 0 {
		o.TokenHold = time.Second
	}
	if o.FailureThreshold <= 0 {
		o.FailureThreshold = 5
	}
	if o.ProbeInterval <= 0 {
		o.ProbeInterval = 15 * time.Second
	}
	if o.IdleAfter <= 0 {
		o.IdleAfter = 30 * time.Minute
	}
	if o.MaxClients <= 0 {
		o.MaxClients = 2000
	}
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	if o.Dial.Engine == "" {
		o.Dial.Engine = "takaro"
	}
	return o
}
