// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/utils/clock"

	"roadstead.dev/roadstead/pkg/engine/netguard"
)

// Options of a Pool. The zero value is usable; each default is given beside its field.
type Options struct {
	QPS              float64         // requests per second for each key of the installation, and for all others of a host; 10
	Burst            int             // requests at once, likewise; 20
	Timeout          time.Duration   // of one attempt, body included; 30 s
	CreateTimeout    time.Duration   // of POST /domain, which Takaro answers late when several run at once; 3 min
	FailureThreshold int             // failures in a row that open the circuit of a key; 5
	ProbeInterval    time.Duration   // between probes of an open circuit, and from its opening to the first; 15 s
	RetryBase        time.Duration   // before the second attempt of an idempotent call, four times that before the third; 0.2 s
	TokenHold        time.Duration   // for how long a domain that got no token gets no other; doubled up to 32 times it; 1 s
	IdleAfter        time.Duration   // a client unused for so long is dropped; 30 min
	MaxClients       int             // the least recently used ones above it are dropped; 2000
	Dial             netguard.Policy // which addresses may be dialled; public ones only

	// ProxyFromEnvironment uses HTTP_PROXY, HTTPS_PROXY and NO_PROXY; Dial then checks the proxy's address only.
	ProxyFromEnvironment bool

	Clock      clock.Clock           // the real one
	Registerer prometheus.Registerer // metrics are kept but not registered when nil
}

const (
	maxBodyBytes      = 16 << 20        // of one page of a search, after decompression
	maxAnswerBytes    = 1 << 20         // of any other answer
	busyWait          = 5 * time.Second // before another try when too many large answers are being read
	maxHeaderBytes    = 64 << 10        // of an answer
	maxRetryAfter     = time.Hour       // a larger Retry-After is taken for nonsense and cut
	maxCachedTokens   = 10_000          // per client; a domain token is about 400 bytes
	unknownTokenLife  = time.Minute     // of a token whose iat and exp cannot be read
	maxAttempts       = 3               // of an idempotent call: the first and two more
	retryBase         = time.Second / 5 // the default of Options.RetryBase
	searchPageSize    = 1000            // Takaro's maximum
	maxSearchPages    = 1000            // more means that the pages are nonsense
	maxHolds          = 5               // doublings of Options.TokenHold
	maxSearchPasses   = 3               // reads of the whole list when it changes under the reader
	maxErrorTextBytes = 300
	sweepInterval     = time.Minute // between looks for idle clients
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
