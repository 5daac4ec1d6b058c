// SPDX-License-Identifier: Apache-2.0

//go:build integration

package epoch

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/test/framework"
)

// watchEvery is the minimum time between two watches of a client.
const watchEvery = 50 * time.Millisecond

// watchKind is a type of watch.
type watchKind struct {
	name, query string
	// resumes means that the first watch starts after a list, and that each further watch continues
	// where the last one ended, as in reflectors.
	resumes bool
}

var watchKinds = []watchKind{
	{name: "resumed watch", resumes: true},
	{name: "watch from 0", query: "&resourceVersion=0"},
	{name: "watch from now"},
	{name: "streaming list", query: "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"},
}

// watchAll starts a new watch each time a watch ends.
func (c *client) watchAll(ctx context.Context, kind watchKind) {
	position := ""
	every(ctx, watchEvery, func(int) {
		query := kind.query
		if kind.resumes {
			if position == "" {
				position = c.list(ctx, "")
			}
			if position == "" {
				return
			}
			query = "&allowWatchBookmarks=true&resourceVersion=" + position
		}
		position = c.watchOnce(ctx, kind, query, position)
	})
}

// watchOnce watches until the stream ends, and returns the resourceVersion of the last event, or ""
// if the resourceVersion expired.
func (c *client) watchOnce(ctx context.Context, kind watchKind, query, position string) string {
	stream, code, err := c.open(ctx, "?watch=true"+query)
	if stream == nil {
		c.judge(ctx, c.way, kind.name, framework.Answer{Code: code}, err, func() error { return nil })
		if code == http.StatusGone {
			return ""
		}
		return position
	}
	defer func() { _ = stream.Close() }()
	names := map[string]bool{}
	for events := json.NewDecoder(stream); ; {
		var event struct {
			Type   watch.EventType
			Object json.RawMessage
		}
		if err := events.Decode(&event); err != nil {
			c.judge(ctx, c.way, kind.name, framework.Answer{}, fmt.Errorf("it ended: %w", err), nil)
			return position
		}
		if event.Type == watch.Error {
			var status metav1.Status
			err := json.Unmarshal(event.Object, &status)
			code := cmp.Or(int(status.Code), http.StatusInternalServerError)
			c.judge(ctx, c.way, kind.name, framework.Answer{Code: code, Body: event.Object}, err, nil)
			if status.Code == http.StatusGone {
				return ""
			}
			return position
		}
		var domain v1alpha1.Domain
		err := json.Unmarshal(event.Object, &domain)
		c.judge(ctx, c.way, kind.name, framework.Answer{Code: http.StatusOK}, err, func() error {
			return c.see(kind, event.Type, &domain, names)
		})
		position = domain.ResourceVersion
	}
}

// see checks one event. The caller holds the lock of the witness.
func (c *client) see(kind watchKind, event watch.EventType, domain *v1alpha1.Domain, names map[string]bool) error {
	switch event {
	case watch.Deleted:
		return fmt.Errorf("Domain %s is reported deleted", domain.Name)
	case watch.Bookmark:
		if domain.Annotations[metav1.InitialEventsAnnotationKey] == "true" {
			return truth.complete(names)
		}
		return nil
	}
	names[domain.Name] = true
	if domain.Name == scratch {
		if round, err := strconv.Atoi(domain.Labels["round"]); err == nil {
			c.rounds[kind.name] = round
		}
	}
	return truth.check(domain)
}

// open returns a stream of events, or the status code if the response is not a stream.
func (c *client) open(ctx context.Context, query string) (io.ReadCloser, int, error) {
	transport, err := rest.HTTPClientFor(c.config)
	if err != nil {
		return nil, 0, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.config.Host+framework.DomainsPath(namespace)+query, nil)
	if err != nil {
		return nil, 0, err
	}
	response, err := transport.Do(request)
	if err != nil {
		return nil, 0, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, response.StatusCode, response.Body.Close()
	}
	return response.Body, http.StatusOK, nil
}
