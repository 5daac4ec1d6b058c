// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"golang.org/x/sync/semaphore"
)

const (
	// decodeBytes is the maximum size of responses that are read and decoded concurrently, for the installation's keys and
	// for those of tenants separately: 128 MiB together. Endpoints of tenants that respond slowly to occupy memory can
	// therefore only delay large responses for tenants.
	decodeBytes = 64 << 20
	// uncounted is the part of a response that is not counted. Most responses are smaller and never wait.
	uncounted = 64 << 10
)

var (
	errTooLarge = errors.New("response is too large")
	errBusy     = errors.New("too many large responses are being read concurrently")
)

// memory limits the memory for large responses.
type memory struct{ installed, own *semaphore.Weighted }

func newMemory() memory {
	return memory{installed: semaphore.NewWeighted(decodeBytes), own: semaphore.NewWeighted(decodeBytes)}
}

// share is the memory of one response. It is held until the response is decoded.
type share struct {
	of   *semaphore.Weighted
	held int64
}

func (e *endpoint) share() *share {
	if e.own {
		return &share{of: e.pool.memory.own}
	}
	return &share{of: e.pool.memory.installed}
}

// acquire waits for n bytes. It is called once for a response: shares that grew could deadlock.
func (s *share) acquire(ctx context.Context, n int64) error {
	if err := s.of.Acquire(ctx, n); err != nil {
		return errBusy
	}
	s.held = n
	return nil
}

func (s *share) release() {
	s.of.Release(s.held)
	s.held = 0
}

// read returns the body of a response of at most limit bytes after decompression. For a larger response it returns the
// part that was read and errTooLarge.
func (s *share) read(ctx context.Context, resp *http.Response, limit int64) ([]byte, error) {
	var body bytes.Buffer
	if _, err := body.ReadFrom(io.LimitReader(resp.Body, min(limit, uncounted)+1)); err != nil {
		return body.Bytes(), err
	}
	read := int64(body.Len())
	if read <= min(limit, uncounted) {
		return body.Bytes(), nil
	}
	if read <= limit {
		expected := limit
		if resp.ContentLength >= 0 { // unknown for a compressed response
			expected = min(limit, resp.ContentLength)
		}
		if err := s.acquire(ctx, expected); err != nil {
			return body.Bytes(), err
		}
		if _, err := body.ReadFrom(io.LimitReader(resp.Body, limit+1-read)); err != nil {
			return body.Bytes(), err
		}
	}
	if int64(body.Len()) > limit {
		return body.Bytes(), fmt.Errorf("%w: more than %s", errTooLarge, size(limit))
	}
	return body.Bytes(), nil
}
