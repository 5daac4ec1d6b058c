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
	// decodeBytes is how much of answers may be read and decoded at the same time, for the installation's keys and for
	// those of tenants each: 128 MiB together. Endpoints of tenants that send slowly, to occupy memory, therefore only
	// delay large answers to tenants.
	decodeBytes = 64 << 20
	// uncounted is the part of an answer that counts for nothing. Most answers are smaller and never wait.
	uncounted = 64 << 10
)

var (
	errTooLarge = errors.New("the answer is too large")
	errBusy     = errors.New("too many large answers are being read at the same time")
)

// memory is what large answers may occupy.
type memory struct{ installed, own *semaphore.Weighted }

func newMemory() memory {
	return memory{installed: semaphore.NewWeighted(decodeBytes), own: semaphore.NewWeighted(decodeBytes)}
}

// share is the memory of one answer. It is held until the answer is decoded.
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

// acquire waits for n bytes. It is called once for an answer: a share that grew could wait for others that wait for it.
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

// read returns the body of an answer of at most limit bytes, after decompression, and what was read of a larger one
// with errTooLarge.
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
		if resp.ContentLength >= 0 { // unknown for a compressed answer
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
		return body.Bytes(), fmt.Errorf("%w: it has more than %s", errTooLarge, size(limit))
	}
	return body.Bytes(), nil
}
