// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
)

// statusError is an unsuccessful response.
type statusError struct {
	code int
	text string
}

func (e *statusError) Error() string { return e.text }

// maxQuoted is the maximum number of bytes of an unsuccessful response in an error.
const maxQuoted = 500

// send sends a request and reads the complete response. It returns the number of bytes of a
// successful response.
func send(ctx context.Context, client *http.Client, method, url, contentType, accept string, body []byte) (int64, error) {
	request, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	request.Header.Set("Accept", accept)
	if len(body) > 0 {
		request.Header.Set("Content-Type", contentType)
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode >= http.StatusMultipleChoices {
		text, _ := io.ReadAll(io.LimitReader(response.Body, maxQuoted))
		_, _ = io.Copy(io.Discard, response.Body)
		return 0, &statusError{response.StatusCode, fmt.Sprintf("%s %s: %s: %s", method, url, response.Status, text)}
	}
	return io.Copy(io.Discard, response.Body)
}

// fetch returns the body of a successful response to a GET.
func fetch(ctx context.Context, client *http.Client, url string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = &statusError{response.StatusCode, fmt.Sprintf("GET %s: %s: %.*s", url, response.Status, maxQuoted, body)}
	}
	return body, err
}

// url returns the URL of a path on a way.
func (b *bed) url(w way, path string) string {
	if w.direct {
		return "https://" + b.roadstead.APIServerAddr() + path
	}
	return "https://" + b.cluster.Addr() + path
}

func (b *bed) client(w way) *http.Client {
	if w.direct {
		return b.past
	}
	return b.through
}

// get reads an object or a list and returns the size of the response.
func (b *bed) get(ctx context.Context, w way, path string) (int64, error) {
	return send(ctx, b.client(w), http.MethodGet, b.url(w, path), "", w.mediaType(), nil)
}

// create creates an object in a collection.
func (b *bed) create(ctx context.Context, w way, path string, body []byte) error {
	_, err := send(ctx, b.client(w), http.MethodPost, b.url(w, path), w.mediaType(), w.mediaType(), body)
	return err
}

// patch changes an object.
func (b *bed) patch(ctx context.Context, w way, path, kind string, body []byte) error {
	_, err := send(ctx, b.client(w), http.MethodPatch, b.url(w, path), kind, w.mediaType(), body)
	return err
}

// clear deletes all objects of a collection.
func (b *bed) clear(ctx context.Context, w way, path string) error {
	_, err := send(ctx, b.client(w), http.MethodDelete, b.url(w, path), jsonType, w.mediaType(), nil)
	return err
}
