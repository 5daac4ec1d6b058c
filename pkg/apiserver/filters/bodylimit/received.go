// SPDX-License-Identifier: Apache-2.0

package bodylimit

import (
	"errors"
	"io"
)

// chunkBytes is the size of the pieces in which a body is received. A buffer that grows by doubling
// would take up to three times as much memory as what has arrived.
const chunkBytes = 32 << 10

// received is a complete body in memory. What was read is released.
type received struct {
	chunks [][]byte
}

// receive reads a body to its end.
func receive(from io.Reader) (*received, error) {
	var chunks [][]byte
	for {
		chunk := make([]byte, 0, chunkBytes)
		for len(chunk) < cap(chunk) {
			n, err := from.Read(chunk[len(chunk):cap(chunk)])
			chunk = chunk[:len(chunk)+n]
			if errors.Is(err, io.EOF) {
				return &received{append(chunks, chunk)}, nil
			}
			if err != nil {
				return nil, err
			}
		}
		chunks = append(chunks, chunk)
	}
}

// Read implements io.Reader.
func (r *received) Read(p []byte) (int, error) {
	for len(r.chunks) > 0 && len(r.chunks[0]) == 0 {
		r.chunks[0], r.chunks = nil, r.chunks[1:]
	}
	if len(r.chunks) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.chunks[0])
	r.chunks[0] = r.chunks[0][n:]
	return n, nil
}

// Close implements io.Closer. The server closes the body that the client has sent.
func (*received) Close() error { return nil }
