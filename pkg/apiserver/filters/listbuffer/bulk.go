// SPDX-License-Identifier: Apache-2.0

// Package listbuffer writes lists in large chunks. Lists are encoded item by item, and each write
// of an item resulted in separate frames, in this server and again in the aggregation layer, which
// took most of the CPU time of a long list.
package listbuffer

import (
	"bufio"
	"net/http"
	"sync"

	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/endpoints/responsewriter"
)

// size is the size of a chunk in bytes: a few frames of HTTP/2, which have 16 KiB.
const size = 64 << 10

var buffers = sync.Pool{New: func() any { return bufio.NewWriterSize(nil, size) }}

// Handler buffers the response to a list request. It must be the last filter before the handlers
// that encode.
func Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		info, ok := genericapirequest.RequestInfoFrom(r.Context())
		if !ok || info.Verb != "list" {
			next.ServeHTTP(w, r)
			return
		}
		buffer := buffers.Get().(*bufio.Writer)
		buffer.Reset(w)
		next.ServeHTTP(responsewriter.WrapForHTTP1Or2(&writer{w, buffer}), r)
		// Not deferred: after a panic nothing more is written, and the connection ends. An error
		// means that the client has disconnected.
		_ = buffer.Flush()
		buffer.Reset(nil)
		buffers.Put(buffer)
	})
}

type writer struct {
	http.ResponseWriter
	buffer *bufio.Writer
}

// Write buffers a part of the body.
func (w *writer) Write(part []byte) (int, error) { return w.buffer.Write(part) }

// Flush sends the buffered data.
func (w *writer) Flush() {
	_ = w.buffer.Flush()
	if inner, ok := w.ResponseWriter.(http.Flusher); ok {
		inner.Flush()
	}
}

// Unwrap implements responsewriter.UserProvidedDecorator.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }
