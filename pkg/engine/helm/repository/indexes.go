// SPDX-License-Identifier: Apache-2.0

package repository

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
)

// maxIndexes is the maximum number of cached indexes; the least recently used ones are removed.
const maxIndexes = 32

// againAfter is the maximum age of an index without the requested chart or version, which may just have been added.
const againAfter = 5 * time.Second

// indexes caches one index of each repository for all callers, because an index may have 20 MB and an operator has many
// versions.
type indexes struct {
	flights singleflight.Group
	// decoding is held while an index is decoded, which takes several times its size.
	decoding sync.Mutex

	mu   sync.Mutex
	kept map[string]*keptIndex
}

type keptIndex struct {
	index index
	etag  string
	// at is when the repository last confirmed the index, used when it was last requested.
	at, used time.Time
}

func newIndexes() *indexes { return &indexes{kept: map[string]*keptIndex{}} }

// get returns the cached index if it is not older than life.
func (i *indexes) get(key string, now time.Time, life time.Duration) (index, bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	kept := i.kept[key]
	if kept == nil || now.Sub(kept.at) > life {
		return nil, false
	}
	kept.used = now
	return kept.index, true
}

// stale returns the cached index regardless of its age.
func (i *indexes) stale(key string) (keptIndex, bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if kept := i.kept[key]; kept != nil {
		return *kept, true
	}
	return keptIndex{}, false
}

func (i *indexes) put(key string, kept keptIndex) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.kept[key] = &kept
	for len(i.kept) > maxIndexes {
		oldest := slices.MinFunc(slices.Collect(maps.Keys(i.kept)), func(a, b string) int {
			return cmp.Or(i.kept[a].used.Compare(i.kept[b].used), cmp.Compare(a, b))
		})
		delete(i.kept, oldest)
	}
}

// decode decodes one index at a time.
func (i *indexes) decode(content []byte) (index, error) {
	i.decoding.Lock()
	defer i.decoding.Unlock()
	return decodeIndex(content)
}

// index returns the index of a repository, not older than life. Concurrent callers share one request, so the request
// continues if one of them is canceled.
func (c *Client) index(ctx context.Context, repository Repository, at *url.URL, life time.Duration) (index, error) {
	key := repository.key()
	if kept, ok := c.indexes.get(key, c.options.Clock.Now(), life); ok {
		return kept, nil
	}
	flight := c.indexes.flights.DoChan(key, func() (any, error) {
		return c.fetchIndex(context.WithoutCancel(ctx), repository, at, key)
	})
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case landed := <-flight:
		found, _ := landed.Val.(index)
		return found, landed.Err
	}
}

func (c *Client) fetchIndex(ctx context.Context, repository Repository, at *url.URL, key string) (index, error) {
	asking := getting{
		http: over(c.guarded(at, repository.Credentials)), url: at.JoinPath("index.yaml").String(), header: http.Header{},
		limit: MaxIndex, what: "index.yaml", missing: MissingRepository,
	}
	before, has := c.indexes.stale(key)
	if has && before.etag != "" {
		asking.header.Set("If-None-Match", before.etag)
	}
	got, err := c.get(ctx, asking)
	if err != nil {
		return nil, err
	}
	now := c.options.Clock.Now()
	if got.notModified {
		if !has {
			return nil, &Error{Kind: KindInvalid, Status: http.StatusNotModified, Message: "fetching index.yaml: unexpected status 304"}
		}
		before.at, before.used = now, now
		c.indexes.put(key, before)
		return before.index, nil
	}
	found, err := c.indexes.decode(got.body)
	if err != nil {
		return nil, err
	}
	c.indexes.put(key, keptIndex{index: found, etag: got.header.Get("ETag"), at: now, used: now})
	return found, nil
}

// key distinguishes repositories and credentials: what one user may see, another may not. The password cannot be recovered
// from it. Parts are length-prefixed so that different lists of parts have different keys.
func (r Repository) key() string {
	sum := sha256.New()
	for _, part := range []string{r.URL, r.Credentials.username, r.Credentials.password} {
		sum.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		sum.Write([]byte(part))
	}
	return string(sum.Sum(nil))
}
