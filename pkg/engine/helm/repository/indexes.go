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

// maxIndexes is how many are kept; the longest unused go first.
const maxIndexes = 32

// againAfter is how old an index may be that does not hold what somebody looks for: it may just have been added.
const againAfter = 5 * time.Second

// indexes shares one index of each repository between all that ask for it: it can have 20 MB, and an operator has many
// versions.
type indexes struct {
	flights singleflight.Group
	// decoding is held while one is decoded, which takes several times its size.
	decoding sync.Mutex

	mu   sync.Mutex
	kept map[string]*keptIndex
}

type keptIndex struct {
	index index
	etag  string
	// at is when the repository last said that it is so, used when somebody last asked.
	at, used time.Time
}

func newIndexes() *indexes { return &indexes{kept: map[string]*keptIndex{}} }

// get gives what is kept and not older than life.
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

// stale gives what is kept, however old.
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

// index gives the index of a repository that is not older than life. Callers that ask at once share one request, so it
// goes on when one of them gives up.
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
			return nil, &Error{Kind: KindInvalid, Status: http.StatusNotModified, Message: "fetching index.yaml: it answered 304 to who has none"}
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

// key tells repositories and users apart: what one may see another may not. It holds nothing of a password that could be
// read back. Parts are length-prefixed so that no two lists collide.
func (r Repository) key() string {
	sum := sha256.New()
	for _, part := range []string{r.URL, r.Credentials.username, r.Credentials.password} {
		sum.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		sum.Write([]byte(part))
	}
	return string(sum.Sum(nil))
}
