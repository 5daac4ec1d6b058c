// SPDX-License-Identifier: Apache-2.0

package listcache

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	testingclock "k8s.io/utils/clock/testing"
)

type rows = map[string]string

func newCache() (*Cache[string, string, rows], *testingclock.FakeClock) {
	clock := testingclock.NewFakeClock(time.Now())
	return New[string](clock, func(list rows, id string, row *string) {
		delete(list, id)
		if row != nil {
			list[id] = *row
		}
	}), clock
}

func answer(list rows) func(context.Context) (rows, error) {
	return func(context.Context) (rows, error) { return list, nil }
}

func TestOldWritesAreForgotten(t *testing.T) {
	c, clock := newCache()
	c.Put("place", "id", "written")
	list, err := c.Refresh(t.Context(), "place", answer(rows{"id": "listed"}))
	require.NoError(t, err)
	assert.Equal(t, rows{"id": "written"}, list.Rows, "the write is not older")
	clock.Step(time.Second)
	list, err = c.Refresh(t.Context(), "place", answer(rows{"id": "listed"}))
	require.NoError(t, err)
	assert.Equal(t, rows{"id": "listed"}, list.Rows)
	assert.Empty(t, c.writes["place"])
}

func TestFailedRequestKeepsTheLastList(t *testing.T) {
	c, _ := newCache()
	list, err := c.Refresh(t.Context(), "place", answer(rows{}))
	require.NoError(t, err)
	_, err = c.Refresh(t.Context(), "place", func(context.Context) (rows, error) { return nil, errors.New("no answer") })
	require.Error(t, err)
	assert.Same(t, list, c.Last("place"))
}

func TestRetainAndForget(t *testing.T) {
	c, _ := newCache()
	for _, place := range []string{"one", "other", "third"} {
		c.Install(place, &List[rows]{Rows: rows{}})
		c.Remove(place, "id")
	}
	c.Remove("never listed", "id")
	c.Retain(map[string]bool{"one": true, "other": true})
	c.Forget("other")
	assert.Len(t, c.lists, 1)
	assert.Len(t, c.writes, 1)
	assert.NotNil(t, c.Last("one"))
}
