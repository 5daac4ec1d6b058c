// SPDX-License-Identifier: Apache-2.0

package chartrepo

import (
	"io"
	"net/http"
)

// Fault answers a request in place of the server.
type Fault func(http.ResponseWriter, *http.Request)

// Status returns a fault that answers with a status and a body.
func Status(status int, body string) Fault {
	return func(out http.ResponseWriter, _ *http.Request) {
		out.WriteHeader(status)
		_, _ = io.WriteString(out, body)
	}
}

// RedirectTo returns a fault that redirects to the same path below another URL.
func RedirectTo(base string) Fault {
	return func(out http.ResponseWriter, in *http.Request) {
		http.Redirect(out, in, base+in.URL.Path, http.StatusTemporaryRedirect)
	}
}

// Endless returns a fault whose response body never ends. It sends the body as fast as the client
// reads it.
func Endless() Fault {
	return func(out http.ResponseWriter, _ *http.Request) {
		chunk := make([]byte, 64<<10)
		for {
			if _, err := out.Write(chunk); err != nil {
				return
			}
		}
	}
}

// Slow returns a fault that sends the beginning of a body and nothing more, until the client
// disconnects.
func Slow() Fault {
	return func(out http.ResponseWriter, in *http.Request) {
		_, _ = io.WriteString(out, "apiVersion: v1\n")
		if flusher, ok := out.(http.Flusher); ok {
			flusher.Flush()
		}
		<-in.Context().Done()
		// Without this the server would end the body as if it were complete.
		panic(http.ErrAbortHandler)
	}
}

// Drop returns a fault that closes the connection without a response.
func Drop() Fault {
	return func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
}
