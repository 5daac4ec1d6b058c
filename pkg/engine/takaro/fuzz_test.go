// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// FuzzNormalizeURL checks that normalization is idempotent and that errors do not contain a password.
func FuzzNormalizeURL(f *testing.F) {
	for _, url := range []string{"https://API.Takaro.example:443/a/../b/", "http://[::1]:80", "http://user:hunter2@host", "ftp://x",
		"https://a..b", "https://x/%2e%2e/%zz", "http://1.2.3.4:0"} {
		f.Add(url)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		normal, err := NormalizeURL(raw)
		if err != nil {
			if strings.Contains(raw, "hunter2") && strings.Contains(err.Error(), "hunter2") {
				t.Fatalf("the error for %q contains the password: %v", raw, err)
			}
			return
		}
		again, err := NormalizeURL(normal)
		if err != nil || again != normal {
			t.Fatalf("%q became %q, which became %q (%v)", raw, normal, again, err)
		}
	})
}

// FuzzLifetime checks that the lifetime of any token is valid.
func FuzzLifetime(f *testing.F) {
	f.Add(jwt(100, 200, 0))
	f.Add(jwt(200, 100, 0))
	f.Add("a.eyJpYXQiOjEsImV4cCI6MWUzMDh9.c")
	f.Add("..")
	f.Fuzz(func(t *testing.T, token string) {
		if d := lifetime(token); d < 0 || d > 101*365*24*time.Hour {
			t.Fatalf("lifetime of %q is %s", token, d)
		}
	})
}

// FuzzRetryAfter checks that the pause for any header is valid.
func FuzzRetryAfter(f *testing.F) {
	for _, value := range []string{"7", "-1", "4294967295", "99999999999999999999", "Fri, 31 Dec 1999 23:59:59 GMT",
		"Fri, 31 Dec 9999 23:59:59 GMT"} {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		if d := retryAfter(http.Header{"Retry-After": {value}}, now); d < 0 || d > maxRetryAfter {
			t.Fatalf("%q is %s", value, d)
		}
	})
}

// FuzzErrorAnswer checks that errors never contain a secret or a line break, for any response.
func FuzzErrorAnswer(f *testing.F) {
	f.Add([]byte(failure("ConflictError", "in use by "+testToken)), 409, "application/json", "")
	f.Add([]byte(`{"meta":{"error":{"code":"ValidationError","details":[{"property":"a","constraints":{"x":"`+testToken+
		`"},"children":[{"path":"b","errors":["c\n"]}]}]}}}`), 400, "", "")
	f.Add([]byte(htmlPage), 502, "text/html;", "https://elsewhere/")
	f.Fuzz(func(t *testing.T, body []byte, status int, mediaType, location string) {
		response := &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {mediaType}, "Location": {location}}}
		err := newAPIError(call{method: http.MethodGet, pattern: "/domain/:id"}, response, body, []string{testToken}, time.Now())
		if strings.Contains(mediaType+location, testToken) {
			return // a proxy that knows the token is not prevented from sending it in a header
		}
		text := err.Error()
		if strings.Contains(text, testToken) || strings.ContainsAny(text, "\n\r\x00") || (utf8.Valid(body) &&
			utf8.ValidString(mediaType+location) && !utf8.ValidString(text)) {
			t.Fatalf("the response %q results in the error %q", body, text)
		}
	})
}

// answers is a transport that returns the lines of a text as the bodies of successive responses, and repeats the last one.
type answers struct{ left []string }

func (a *answers) RoundTrip(*http.Request) (*http.Response, error) {
	body := a.left[0]
	if len(a.left) > 1 {
		a.left = a.left[1:]
	}
	recorder := httptest.NewRecorder()
	_, _ = io.WriteString(recorder, body)
	return recorder.Result(), nil
}

// FuzzSearch checks that a search ends for any pages: with rows that have unique IDs, or with an error that
// the response is not from Takaro.
func FuzzSearch(f *testing.F) {
	f.Add(data([]any{wireDomain("a", "")}))
	f.Add(`{"meta":{"limit":1,"total":2},"data":[{"id":"a"}]}` + "\n" + `{"meta":{"limit":1,"total":2},"data":[{"id":"b"}]}`)
	f.Add(`{"meta":{"limit":1,"total":3},"data":[{"id":"a"}]}`)
	f.Add(`{"meta":{"limit":-1,"total":-1},"data":null}`)
	f.Add(`{"meta":{"limit":1},"data":[{"id":""}]}`)
	f.Fuzz(func(t *testing.T, pages string) {
		client := newTestClient(t, "http://takaro.test")
		client.wire = &http.Client{Transport: &answers{strings.Split(pages, "\n")}}
		rows, err := client.SearchDomains(t.Context(), DomainSearch{})
		if err != nil {
			var transport *TransportError
			if !errors.As(err, &transport) {
				t.Fatalf("%q: %v", pages, err)
			}
			return
		}
		for i, row := range rows {
			if row.ID == "" || (i > 0 && rows[i-1].ID >= row.ID) {
				t.Fatalf("%q: row %d has ID %q", pages, i, row.ID)
			}
		}
	})
}
