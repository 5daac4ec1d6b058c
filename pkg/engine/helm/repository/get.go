// SPDX-License-Identifier: Apache-2.0

package repository

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"time"
)

// getting describes one request.
type getting struct {
	http   *http.Client
	url    string
	header http.Header
	limit  int64
	// what describes the content in errors; missing is what does not exist if the status is 404.
	what    string
	missing Missing
}

// answer is a complete response with status 200 or 304.
type answer struct {
	body        []byte
	header      http.Header
	notModified bool
}

// get sends a request and reads the response within the limits of time and size.
func (c *Client) get(ctx context.Context, g getting) (*answer, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.options.Timeout, errTimeout)
	defer cancel()
	doing := "fetching " + g.what
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, g.url, nil)
	if err != nil {
		return nil, &Error{Kind: KindInvalid, Message: doing + ": invalid URL"}
	}
	if g.header != nil {
		request.Header = g.header
	}
	response, err := g.http.Do(request)
	if err != nil {
		return nil, transportError(ctx, doing, err)
	}
	defer func() { _ = response.Body.Close() }()
	switch response.StatusCode {
	case http.StatusOK:
	case http.StatusNotModified:
		return &answer{header: response.Header, notModified: true}, nil
	default:
		body, _ := io.ReadAll(io.LimitReader(response.Body, maxErrorBody))
		return nil, c.statusError(doing, g.missing, response, registryCode(body))
	}
	if response.ContentLength > g.limit {
		return nil, tooLarge(g)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, g.limit+1))
	if err != nil {
		return nil, transportError(ctx, doing, err)
	}
	if int64(len(body)) > g.limit {
		return nil, tooLarge(g)
	}
	return &answer{body: body, header: response.Header}, nil
}

func tooLarge(g getting) error {
	return &Error{Kind: KindTooLarge, Message: fmt.Sprintf("%s is larger than %d MiB", g.what,
		g.limit>>20), Err: errTooLarge}
}

// statusError returns the error for a response with a status other than 200.
func (c *Client) statusError(doing string, missing Missing, response *http.Response, code string) error {
	status := response.StatusCode
	found := &Error{Kind: KindInvalid, Status: status, Code: code}
	answered := fmt.Sprintf("%s: the repository returned %d", doing, status)
	if code != "" {
		answered += " " + code
	}
	hint := "check that the URL is a chart repository"
	switch {
	case status == http.StatusUnauthorized:
		found.Kind, hint = KindUnauthorized, "credentials are missing or invalid"
	case status == http.StatusForbidden:
		found.Kind, hint = KindUnauthorized, "the credentials, or anonymous users, have no permission"
	case status == http.StatusNotFound || status == http.StatusGone:
		found.Kind, found.Missing, hint = KindNotFound, missing, fmt.Sprintf("%s does not exist", missing)
	case status == http.StatusTooManyRequests || status == http.StatusRequestTimeout || status >= http.StatusInternalServerError:
		found.Kind, hint = KindUnreachable, "the request is retried later"
		found.RetryAfter = retryAfter(response.Header, c.options.Clock.Now())
	}
	found.Message = answered + ": " + hint
	return found
}

// retryAfter returns the value of the header in either of its forms (RFC 9110, section 10.2.3).
func retryAfter(header http.Header, now time.Time) time.Duration {
	value := header.Get("Retry-After")
	wait := time.Duration(0)
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		wait = time.Duration(seconds) * time.Second
	} else if at, err := http.ParseTime(value); err == nil {
		wait = at.Sub(now)
	}
	return min(max(wait, 0), maxRetryAfter)
}

var codeForm = regexp.MustCompile(`^[A-Z][A-Z_]{1,40}$`)

// registryCode returns the error code of an OCI registry, such as MANIFEST_UNKNOWN. Nothing else of a body is used.
func registryCode(body []byte) string {
	var answered struct {
		Errors []struct {
			Code string `json:"code"`
		} `json:"errors"`
	}
	if json.Unmarshal(body, &answered) != nil || len(answered.Errors) == 0 {
		return ""
	}
	return known(answered.Errors[0].Code)
}

// known returns a text if it has the form of a code, otherwise "".
func known(code string) string {
	if codeForm.MatchString(code) {
		return code
	}
	return ""
}
