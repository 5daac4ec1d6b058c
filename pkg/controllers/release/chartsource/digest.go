// SPDX-License-Identifier: Apache-2.0

package chartsource

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// Digest returns a digest of the values. It must be kept in memory only: it covers values of
// Secrets, and short values could be guessed from it.
func (v *Values) Digest() string {
	encoded, err := json.Marshal(struct {
		Base         []map[string]any
		Environments map[string]map[string]any
	}{v.Base, v.Environments})
	if err != nil {
		return "" // values are decoded from JSON and YAML, so they can always be encoded
	}
	sum := sha256.Sum256(encoded)
	return hex.EncodeToString(sum[:])
}
