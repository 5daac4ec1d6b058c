// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"roadstead.dev/roadstead/test/peer"
)

// stampMark precedes the time in an event, in either encoding.
const (
	stampMark   = "sent-at:"
	stampDigits = 19 // nanoseconds since 1970, until the year 2286
)

func stamp(at time.Time) string { return stampMark + strconv.FormatInt(at.UnixNano(), 10) }

// stamped returns the time in an event.
func stamped(event []byte) (time.Time, bool) {
	at := bytes.Index(event, []byte(stampMark))
	if at < 0 || len(event) < at+len(stampMark)+stampDigits {
		return time.Time{}, false
	}
	digits := event[at+len(stampMark):][:stampDigits]
	nanos, err := strconv.ParseInt(string(digits), 10, 64)
	return time.Unix(0, nanos), err == nil
}

// watchers are the open watches of one turn.
type watchers struct {
	done  sync.WaitGroup
	count atomic.Int64

	mu  sync.Mutex
	all []time.Duration
}

// open starts a watch for changes since a resourceVersion and returns when the server has accepted
// it.
func (ws *watchers) open(ctx context.Context, b *bed, w way, namespace, since string) error {
	url := b.url(w, w.collection(peer.Domain, namespace)+"?watch=true&resourceVersion="+since)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	request.Header.Set("Accept", w.mediaType())
	next := nextLine
	if w.protobuf {
		request.Header.Set("Accept", protobufType+";stream=watch")
		next = nextFrame
	}
	response, err := b.client(w).Do(request)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		defer func() { _ = response.Body.Close() }()
		text, _ := io.ReadAll(io.LimitReader(response.Body, maxQuoted))
		return fmt.Errorf("GET %s: %s: %s", url, response.Status, text)
	}
	ws.done.Go(func() {
		defer func() { _ = response.Body.Close() }()
		ws.read(bufio.NewReaderSize(response.Body, 32<<10), next)
	})
	return nil
}

// await waits for the expected number of events, for at most drainLimit.
func (ws *watchers) await(ctx context.Context, expected int) {
	// Events that have not arrived by then count as failed.
	_ = wait.PollUntilContextTimeout(ctx, 5*time.Millisecond, drainLimit, true, func(context.Context) (bool, error) {
		return int(ws.count.Load()) >= expected, nil
	})
}

// latestVersion returns the current resourceVersion of a collection.
func (b *bed) latestVersion(ctx context.Context, w way, namespace string) (string, error) {
	w.protobuf = false
	body, err := fetch(ctx, b.client(w), b.url(w, w.collection(peer.Domain, namespace)))
	if err != nil {
		return "", err
	}
	var list metav1.PartialObjectMetadataList
	if err := json.Unmarshal(body, &list); err != nil {
		return "", err
	}
	return list.ResourceVersion, nil
}

// read reads events until the watch ends.
func (ws *watchers) read(from *bufio.Reader, next func(*bufio.Reader) ([]byte, error)) {
	var mine []time.Duration
	defer func() {
		ws.mu.Lock()
		defer ws.mu.Unlock()
		ws.all = append(ws.all, mine...)
	}()
	for {
		event, err := next(from)
		if err != nil {
			return
		}
		if at, ok := stamped(event); ok {
			mine = append(mine, time.Since(at))
			ws.count.Add(1)
		}
	}
}

// nextLine reads one event of a JSON watch.
func nextLine(from *bufio.Reader) ([]byte, error) { return from.ReadBytes('\n') }

// nextFrame reads one event of a protobuf watch, which is preceded by its length in four bytes.
func nextFrame(from *bufio.Reader) ([]byte, error) {
	var length [4]byte
	if _, err := io.ReadFull(from, length[:]); err != nil {
		return nil, err
	}
	frame := make([]byte, binary.BigEndian.Uint32(length[:]))
	_, err := io.ReadFull(from, frame)
	return frame, err
}
