// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// message is a frame from the child. Its first set field determines its kind.
type message struct {
	// Object is one object of the result.
	Object json.RawMessage `json:"object,omitempty"`
	// Lookup is a question to the parent.
	Lookup json.RawMessage `json:"lookup,omitempty"`
	// Failure ends the work without a result.
	Failure *failure `json:"failure,omitempty"`
	// Done ends the work.
	Done bool `json:"done,omitempty"`
}

// failure is the form in which an *Error is sent to the parent.
type failure struct {
	Kind Kind   `json:"kind"`
	Code string `json:"code,omitempty"`
	Text string `json:"text,omitempty"`
}

// answer is a frame from the parent, the answer to a lookup.
type answer struct {
	Found json.RawMessage `json:"found,omitempty"`
	Error string          `json:"error,omitempty"`
}

// errFrameTooLarge is the error for a frame that exceeds the maximum size.
var errFrameTooLarge = errors.New("a frame is larger than allowed")

// writeFrame writes content as one frame.
func writeFrame(to io.Writer, content []byte) error {
	var size [4]byte
	binary.BigEndian.PutUint32(size[:], uint32(len(content)))
	if _, err := to.Write(size[:]); err != nil {
		return err
	}
	_, err := to.Write(content)
	return err
}

// writeJSON writes a value as one frame.
func writeJSON(to io.Writer, value any) error {
	content, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return writeFrame(to, content)
}

// readFrame reads one frame of at most the given number of bytes. At the end of the stream it returns io.EOF. It allocates
// memory only for received bytes, not for the announced length.
func readFrame(from io.Reader, most int) ([]byte, error) {
	var size [4]byte
	if _, err := io.ReadFull(from, size[:]); err != nil {
		return nil, err
	}
	length := int64(binary.BigEndian.Uint32(size[:]))
	if length > int64(most) {
		return nil, fmt.Errorf("%w: %d bytes", errFrameTooLarge, length)
	}
	var content bytes.Buffer
	if _, err := io.CopyN(&content, from, length); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return content.Bytes(), nil
}
