// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// envelope is the wrapper of every response of Takaro.
type envelope struct {
	Meta struct {
		Page  int        `json:"page"`
		Limit int        `json:"limit"`
		Total *int       `json:"total"`
		Error *wireError `json:"error"`
	} `json:"meta"`
	Data json.RawMessage `json:"data"`

	size int64 // of the answer in bytes, after decompression
}

type wireError struct {
	Code    string          `json:"code"`
	Message string          `json:"message"`
	Details json.RawMessage `json:"details"`
}

// parseEnvelope decodes a 2xx response. JSON of another form (a health page, another API) is not a response of Takaro.
func parseEnvelope(raw []byte) (envelope, error) {
	var env envelope
	if err := json.Unmarshal(raw, &env); err != nil || env.Data == nil {
		return envelope{}, errNotTakaro
	}
	env.size = int64(len(raw))
	return env, nil
}

// decode decodes the data of env into out. The effect of a request whose response has the wrong form is unclear. The
// decoder's error is omitted, because it may contain values.
func (c *Client) decode(k call, env envelope, out any) error {
	if out == nil {
		return nil
	}
	err := json.Unmarshal(env.Data, out)
	if err == nil && !bytes.Equal(bytes.TrimSpace(env.Data), []byte("null")) {
		return nil
	}
	if errors.Is(err, errTooLarge) {
		return c.unreadable(k, err.Error())
	}
	return c.unreadable(k, fmt.Sprintf("data of the response is not a %T", out))
}

// unreadable returns the error for a 2xx response that cannot be interpreted.
func (c *Client) unreadable(k call, what string) error {
	return &TransportError{
		Method: k.method, Path: k.pattern, Host: c.endpoint.host, Sent: true, once: !k.idempotent,
		Err: fmt.Errorf("%w (%s)", errNotTakaro, what),
	}
}

// newAPIError returns the error for a response other than 2xx. Of its body, only Takaro's own error is used, without secrets.
func newAPIError(k call, resp *http.Response, raw []byte, secrets []string, now time.Time) *APIError {
	e := &APIError{Method: k.method, Path: k.pattern, Status: resp.StatusCode, RetryAfter: retryAfter(resp.Header, now)}
	var env envelope
	if json.Unmarshal(raw, &env) != nil || env.Meta.Error == nil || env.Meta.Error.Code == "" {
		e.Message = foreignMessage(resp)
		return e
	}
	e.Code = clean(env.Meta.Error.Code, secrets...)
	if e.Code == "ValidationError" {
		e.Message = clean(violations(env.Meta.Error.Details), secrets...)
		return e
	}
	e.Message = clean(env.Meta.Error.Message, secrets...)
	return e
}

// foreignMessage describes a response that is not from Takaro, without its content.
func foreignMessage(resp *http.Response) string {
	if to, err := url.Parse(resp.Header.Get("Location")); err == nil && to.Host != "" {
		return clean(fmt.Sprintf("the server redirects to %s://%s, but redirects are not followed: set the correct URL", to.Scheme, to.Host))
	}
	if resp.StatusCode >= http.StatusInternalServerError {
		return "a proxy in front of Takaro failed"
	}
	mediaType, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	if mediaType == "" {
		mediaType = "no type"
	}
	return clean("check the URL and the proxies in front of Takaro (content type: " + mediaType + ")")
}
