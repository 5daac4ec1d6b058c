// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"crypto/subtle"
	"encoding/json"
	"log/slog"
)

const redacted = "[redacted]"

// Secret is a string that formatting, logging and JSON encoding never show; Reveal returns it. The zero value is the
// empty string.
type Secret struct {
	// A pointer, because fmt prints unexported struct fields without calling their String method.
	text *string
}

// NewSecret wraps text.
func NewSecret(text string) Secret { return Secret{text: &text} }

// Reveal returns the text. Use it only to send or store it.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// IsEmpty reports whether the text is empty.
func (s Secret) IsEmpty() bool { return s.Reveal() == "" }

// Equal compares two secrets in constant time (for texts of the same length).
func (s Secret) Equal(other Secret) bool {
	return subtle.ConstantTimeCompare([]byte(s.Reveal()), []byte(other.Reveal())) == 1
}

// String hides the text, but distinguishes an empty secret from a set one.
func (s Secret) String() string {
	if s.IsEmpty() {
		return ""
	}
	return redacted
}

// GoString hides the text from %#v.
func (s Secret) GoString() string { return "takaro.Secret(" + s.String() + ")" }

// LogValue hides the text from log/slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalJSON hides the text; request bodies use Reveal.
func (s Secret) MarshalJSON() ([]byte, error) { return json.Marshal(s.String()) }

// UnmarshalJSON reads a JSON string or null.
func (s *Secret) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return errSecretType // the decoder's error may contain the value
	}
	*s = NewSecret(text)
	return nil
}
