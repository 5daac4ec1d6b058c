// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
)

// maxBody is the limit of the real API's body parser.
const maxBody = 1 << 20

// request is what a handler receives: body, pagination, access and validation have been checked.
type request struct {
	method, path string
	header       http.Header
	cookie       func(name string) string
	query        url.Values
	param        func(name string) string
	body         map[string]any
	page         page
	faults       plan
	wait         func() bool // waits without the lock for the duration of a create; false if the server was closed

	domain    *domain // of the domain token or session
	user      *user
	stateful  bool   // the route checks the state of the domain
	session   bool   // authenticated by a session, not by a domain token
	setCookie string // value of a new takaro-domain cookie
}

// ServeHTTP answers one request: control paths first, then faults, then the API.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.opts.Control && strings.HasPrefix(r.URL.Path, controlPrefix) {
		s.serveControl(w, r)
		return
	}
	if s.takeDown() {
		panic(http.ErrAbortHandler) // cuts a keep-alive connection that was opened before the fault
	}
	switch clean := path.Clean(r.URL.Path); r.URL.Path {
	case clean:
		s.mux.ServeHTTP(w, r)
	case clean + "/": // the real router accepts a trailing slash
		r = r.Clone(r.Context())
		r.URL.Path = clean
		s.mux.ServeHTTP(w, r)
	default: // http.ServeMux would redirect, which the real API does not
		s.serveRoute(unknownRoute)(w, r)
	}
}

// serveRoute counts the request, applies the faults, runs the route and writes the answer.
func (s *Server) serveRoute(rt route) http.HandlerFunc {
	return func(w http.ResponseWriter, hr *http.Request) {
		entry, p := s.arrive(hr)
		raw, err := io.ReadAll(http.MaxBytesReader(nil, hr.Body, maxBody))
		// A client that disconnects during the wait does not stop the work, as in the real API.
		if !s.sleep(s.stopped, s.opts.Latency+p.latency) {
			panic(http.ErrAbortHandler)
		}
		hr, cancel := p.fault.outlasting(hr)
		defer cancel()
		rep := p.before()
		if rep == nil {
			answer := s.run(rt, hr, p, raw, err)
			rep = p.after(answer)
		}
		s.depart(entry, rep)
		s.hold(hr, p.fault)
		s.write(w, hr, p, rep)
	}
}

// run does what the real API does from the first middleware to the response.
func (s *Server) run(rt route, hr *http.Request, p plan, raw []byte, readError error) reply {
	r := &request{method: hr.Method, path: hr.URL.Path, header: hr.Header, query: hr.URL.Query(), param: hr.PathValue,
		faults: p, cookie: cookieOf(hr)}
	if e := r.decode(raw, readError); e != nil {
		return fail(e)
	}
	if e := r.paginate(); e != nil {
		return fail(e)
	}
	r.wait = func() bool {
		if !s.workOnCreate() {
			return false
		}
		s.mu.Unlock()
		defer s.mu.Lock()
		return s.sleep(s.stopped, s.opts.CreateLatency) && s.hold(hr, p.fault)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.admit(rt, r); e != nil {
		return fail(e)
	}
	if e := rt.check(r); e != nil {
		return fail(e)
	}
	rep := rt.handle(s, r)
	if r.setCookie != "" {
		host, _, _ := strings.Cut(hr.Host, ":")
		rep.header = http.Header{"Set-Cookie": {"takaro-domain=" + r.setCookie + "; Domain=" + host + "; Path=/; SameSite=Strict"}}
	}
	return rep
}

// decode reads the body if it is JSON. Any other content type leaves it empty, as the real body
// parser does.
func (r *request) decode(raw []byte, err error) *apiError {
	r.body = map[string]any{}
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		return internal() // the real error handler does not know the parser's PayloadTooLargeError
	}
	if err != nil {
		return badRequest("Invalid JSON")
	}
	mediaType, _, _ := mime.ParseMediaType(r.header.Get("Content-Type"))
	if len(bytes.TrimSpace(raw)) == 0 || mediaType != "application/json" {
		return nil
	}
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return badRequest("Invalid JSON")
	}
	switch v := v.(type) {
	case map[string]any:
		r.body = v
	case []any: // an array: its members become unknown keys
		for i, m := range v {
			r.body[strconv.Itoa(i)] = m
		}
	default:
		return badRequest("Invalid JSON")
	}
	return nil
}

// check validates path parameters and body, in this order.
func (rt route) check(r *request) *apiError {
	if len(rt.uuids) > 0 {
		fields, target := []field{}, map[string]any{}
		for _, name := range rt.uuids {
			fields = append(fields, must(name, isUUID))
			target[name] = r.param(name)
		}
		if v := validateParams(fields, target); len(v) > 0 {
			return validationError(v)
		}
	}
	if rt.body != nil {
		if v := rt.body.validate(r.body); len(v) > 0 {
			return validationError(v)
		}
	}
	return nil
}

func cookieOf(hr *http.Request) func(string) string {
	return func(name string) string {
		c, err := hr.Cookie(name)
		if err != nil {
			return ""
		}
		return c.Value
	}
}
