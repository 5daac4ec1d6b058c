// SPDX-License-Identifier: Apache-2.0

//go:build integration

package epoch

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"k8s.io/client-go/rest"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/test/framework"
)

const (
	readEvery  = 20 * time.Millisecond
	writeEvery = 200 * time.Millisecond
)

// client is one client of a witness, with one path to the server.
type client struct {
	*witness
	way    string
	config *rest.Config
}

func (w *witness) client(way string, config *rest.Config) *client {
	return &client{witness: w, way: way, config: config}
}

// every calls work until ctx is done, with a pause after each call.
func every(ctx context.Context, pause time.Duration, work func(n int)) {
	ticker := time.NewTicker(pause)
	defer ticker.Stop()
	for n := 1; ctx.Err() == nil; n++ {
		work(n)
		select {
		case <-ctx.Done():
		case <-ticker.C:
		}
	}
}

func (c *client) send(ctx context.Context, request framework.Request) (framework.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, requestLimit)
	defer cancel()
	request.Path = framework.DomainsPath(namespace) + request.Path
	return framework.Try(ctx, c.config, request)
}

// readAll gets and lists in every way that clients use.
func (c *client) readAll(ctx context.Context) {
	names := append(slices.Clone(kept), late...)
	reads := []func(int){
		func(n int) { c.get(ctx, names[n%len(names)]) },
		func(int) { c.getAbsent(ctx, gone) },
		func(int) { c.getAbsent(ctx, "stranger") },
		func(int) { c.list(ctx, "") },
		func(int) { c.list(ctx, "?resourceVersion=0") },
		func(int) { c.pages(ctx) },
	}
	every(ctx, readEvery, func(n int) { reads[n%len(reads)](n / len(reads)) })
}

func (c *client) get(ctx context.Context, name string) {
	answer, err := c.send(ctx, framework.Request{Path: "/" + name})
	c.judge(ctx, c.way, "get "+name, answer, err, func() error {
		var domain v1alpha1.Domain
		if err := json.Unmarshal(answer.Body, &domain); err != nil {
			return err
		}
		return truth.check(&domain)
	})
}

// getAbsent reads a Domain that exists only in wrong stores. NotFound is the correct response.
func (c *client) getAbsent(ctx context.Context, name string) {
	answer, err := c.send(ctx, framework.Request{Path: "/" + name})
	found := answer.Code == http.StatusOK
	if answer.Code == http.StatusNotFound {
		answer.Code = http.StatusOK
	}
	c.judge(ctx, c.way, "get "+name, answer, err, func() error {
		if found {
			return fmt.Errorf("Domain %s of a wrong store", name)
		}
		return nil
	})
}

func (c *client) list(ctx context.Context, query string) (resourceVersion string) {
	list, ok := c.page(ctx, query, map[string]bool{})
	if !ok {
		return ""
	}
	return list.ResourceVersion
}

// pages lists with two objects per page.
func (c *client) pages(ctx context.Context) {
	names := map[string]bool{}
	for query := "?limit=2"; query != ""; {
		list, ok := c.page(ctx, query, names)
		if !ok {
			return // also when the continue token has expired
		}
		query = ""
		if list.Continue != "" {
			query = "?limit=2&continue=" + url.QueryEscape(list.Continue)
		}
	}
}

// page reads one page of a list and adds its names to names. After the last page, names must be
// complete.
func (c *client) page(ctx context.Context, query string, names map[string]bool) (list v1alpha1.DomainList, ok bool) {
	answer, err := c.send(ctx, framework.Request{Path: query})
	ok = c.judge(ctx, c.way, "list "+query, answer, err, func() error {
		if err := json.Unmarshal(answer.Body, &list); err != nil {
			return err
		}
		for i := range list.Items {
			if err := truth.check(&list.Items[i]); err != nil {
				return err
			}
			names[list.Items[i].Name] = true
		}
		if list.Continue == "" {
			return truth.complete(names)
		}
		return nil
	})
	return list, ok
}

// writeAll increments a number in a label of the Domain scratch.
func (c *client) writeAll(ctx context.Context, label string) {
	every(ctx, writeEvery, func(n int) {
		answer, err := c.send(ctx, framework.Request{
			Method: http.MethodPatch, Path: "/" + scratch, ContentType: "application/merge-patch+json",
			Body: fmt.Sprintf(`{"metadata":{"labels":{%q:"%d"}}}`, label, n),
		})
		c.judge(ctx, c.way, "patch "+scratch, answer, err, func() error {
			var domain v1alpha1.Domain
			if err := json.Unmarshal(answer.Body, &domain); err != nil {
				return err
			}
			c.confirmed[label] = n
			return truth.check(&domain)
		})
	})
}
