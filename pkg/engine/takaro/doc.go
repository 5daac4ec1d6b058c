// SPDX-License-Identifier: Apache-2.0

// Package takaro is the only client of the Takaro HTTP API. A Pool returns clients, and maintains a rate limit and a
// circuit breaker for each Key (URL, CA and token), so that endpoints that a tenant names, and credentials that a tenant
// supplies, do not affect others. The Is… functions classify errors.
package takaro
