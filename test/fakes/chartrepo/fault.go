// SPDX-License-Identifier: Apache-2.0

package chartrepo

import (
	"io"
	"net/http"
)

// Fault answers a request in the place of what is served.
type Fault func(http.ResponseWriter, *http.Request)

// Status answers with a status and a body.
func Status(status int, body string) Fault {
	return func(out http.ResponseWriter, _ *http.Request) {
		out.WriteHeader(status)
		_, _ = io.WriteString(out, body)
	}
}

// RedirectTo sends to the same path below another URL.
func RedirectTo(base string) Fault {
	return func(out http.ResponseWriter, in *http.Request) {
		http.Redirect(out, in, base+in.URL.Path, http.StatusTemporaryRedirect)
	}
}

// Endless never ends its body, and sends it as fast as it is read.
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

// Slow sends the beginning of a body and then nothing more, until the client gives up.
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

// Drop ends the connection without an answer.
func Drop() Fault {
	return func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
}
