// SPDX-License-Identifier: Apache-2.0

// Package takaro is the only client of the Takaro HTTP API. Clients come from a Pool, which gives each
// URL one rate limit and one circuit breaker; what an error means for the caller is told by the Is… functions.
package takaro
