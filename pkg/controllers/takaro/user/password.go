// SPDX-License-Identifier: Apache-2.0

package user

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"math/big"
	"strings"

	"roadstead.dev/roadstead/pkg/engine/takaro"
)

const (
	alphabet       = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	passwordLength = 32
)

// derive returns the generated password of an identity: 32 characters of base62, the least
// significant digit first, of HMAC-SHA256(seed, endpoint, namespace, lower-case e-mail) interpreted
// as a big-endian number. Each part is preceded by its length in 8 bytes, big-endian, so that
// different lists of parts never have the same encoding.
//
// The password is derived because Takaro keeps an identity and its password when a user is deleted,
// and ignores the new password when a user with the same e-mail address is created: the same user
// in the same namespace must always get the same password.
func derive(seed []byte, endpoint, namespace, email string) takaro.Secret {
	hash := hmac.New(sha256.New, seed)
	for _, part := range []string{endpoint, namespace, strings.ToLower(email)} {
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(part)))
		hash.Write(length[:])
		hash.Write([]byte(part))
	}
	number, base, digit := new(big.Int).SetBytes(hash.Sum(nil)), big.NewInt(int64(len(alphabet))), new(big.Int)
	var text strings.Builder
	for range passwordLength {
		number.DivMod(number, base, digit)
		text.WriteByte(alphabet[digit.Int64()])
	}
	return takaro.NewSecret(text.String())
}
