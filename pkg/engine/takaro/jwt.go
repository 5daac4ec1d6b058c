// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"
)

// lifetime returns exp − iat of a JWT, or 0 if the claims cannot be read or are invalid. The signature is not verified,
// because the token is only sent back to the server that issued it.
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
	const century = 100 * 365 * 24 * time.Hour // avoids an overflow of Duration
	seconds := min(claims.Expires-claims.IssuedAt, century.Seconds())
	return time.Duration(seconds * float64(time.Second))
}
