// SPDX-License-Identifier: Apache-2.0

// Package takaro is the only client of the Takaro HTTP API. Clients are obtained from a Pool, which gives each Key, that
// is URL, CA and token, a rate limit and a circuit breaker of its own: an endpoint that a tenant names, and credentials
// that a tenant supplies, affect nobody else. The Is… functions classify errors.
package takaro
