// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"
)

// lifetime reads exp − iat from a JWT. The signature is Takaro's business: the token is only handed back to
// the server that made it. 0 when the claims cannot be read or make no sense.
func lifetime(token string) time.Duration {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return 0
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return 0
	}
	var claims struct {
		IssuedAt float64 `json:"iat"`
		Expires  float64 `json:"exp"`
	}
	if json.Unmarshal(payload, &claims) != nil || claims.IssuedAt <= 0 || claims.Expires <= claims.IssuedAt {
		return 0
	}
	const century = 100 * 365 * 24 * time.Hour // keeps the product below what a Duration holds
	seconds := min(claims.Expires-claims.IssuedAt, century.Seconds())
	return time.Duration(seconds * float64(time.Second))
}
