// SPDX-License-Identifier: Apache-2.0

package chartsource

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// Digest changes whenever the values do. It is kept in memory only: it covers values of Secrets,
// and short ones could be guessed from it.
func (v *Values) Digest() string {
	encoded, err := json.Marshal(struct {
		Base         []map[string]any
		Environments map[string]map[string]any
	}{v.Base, v.Environments})
	if err != nil {
		return "" // values come from JSON and YAML, and all that those can hold can be encoded
	}
	sum := sha256.Sum256(encoded)
	return hex.EncodeToString(sum[:])
}
