// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"crypto/subtle"
	"encoding/json"
	"log/slog"
)

const redacted = "[redacted]"

// Secret is a text that no formatting, logging or JSON encoding shows; Reveal gives it. The zero value is
// the empty text.
type Secret struct {
	// A pointer, because fmt prints unexported struct fields without asking their String method.
	text *string
}

// NewSecret wraps text.
func NewSecret(text string) Secret { return Secret{text: &text} }

// Reveal gives the text itself. Use it only where the text is sent or stored.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// IsEmpty tells whether there is no text.
func (s Secret) IsEmpty() bool { return s.Reveal() == "" }

// Equal compares two secrets in constant time (for texts of the same length).
func (s Secret) Equal(other Secret) bool {
	return subtle.ConstantTimeCompare([]byte(s.Reveal()), []byte(other.Reveal())) == 1
}

// String hides the text; it still tells an empty secret from a set one.
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

// MarshalJSON hides the text; request bodies are made from Reveal.
func (s Secret) MarshalJSON() ([]byte, error) { return json.Marshal(s.String()) }

// UnmarshalJSON reads a JSON string or null.
func (s *Secret) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return errSecretType // the decoder's own error could quote the value
	}
	*s = NewSecret(text)
	return nil
}
