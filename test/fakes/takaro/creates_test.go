// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// finish returns how long n creates take that start together.
func finish(n int, t CreateTime) time.Duration {
	start := time.Now()
	l := createLoad{CreateTime: t}
	for range n {
		l.change(start, func(l *createLoad) { l.running++ })
	}
	return time.Duration(float64(l.Base) / l.speed())
}

func TestCreateTime_IsThatOfTheRealAPI(t *testing.T) {
	for n, between := range map[int][2]float64{1: {1.7, 3.9}, 10: {14, 18}, 60: {85, 95}} {
		took := finish(n, RealCreateTime).Seconds()
		assert.True(t, between[0] <= took && took <= between[1], "%d at once: %v s", n, took)
	}
}

func TestCreateLoad_SlowsWhatRuns(t *testing.T) {
	start := time.Now()
	at := func(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }
	l := createLoad{CreateTime: CreateTime{Base: 10 * time.Second, PerParallel: 30 * time.Second}}
	join, leave := func(l *createLoad) { l.running++ }, func(l *createLoad) { l.running-- }
	l.change(at(0), join)
	l.change(at(4), join)
	assert.Equal(t, 4*time.Second, l.done, "alone")
	l.change(at(12), leave)
	assert.Equal(t, 6*time.Second, l.done, "at a quarter of the speed")
	l.change(at(16), leave)
	assert.Equal(t, 10*time.Second, l.done)
	l.change(at(100), join)
	assert.Equal(t, 10*time.Second, l.done, "nothing ran")
}

func TestSetCreateTime_SlowsParallelCreates(t *testing.T) {
	b, c := controlled(t, Options{})
	const base, parallel = 30 * time.Millisecond, 8
	require.NoError(t, c.SetCreateTime(t.Context(), CreateTime{Base: base, PerParallel: base}))
	started := time.Now()
	b.create(t, "alone")
	assert.GreaterOrEqual(t, time.Since(started), base)

	started = time.Now()
	var running sync.WaitGroup
	for i := range parallel {
		running.Go(func() {
			res, _, err := over(t.Context(), b.Server, "POST", "/domain", fmt.Sprintf(`{"name":"one-of-many","externalReference":"many-%d"}`, i))
			assert.NoError(t, err)
			if err == nil {
				assert.Equal(t, 200, res.StatusCode)
			}
		})
	}
	running.Wait()
	assert.GreaterOrEqual(t, time.Since(started), parallel*base, "the work of all of them is done one after the other")
}

func TestSetCreateTime_EndsWhatRuns(t *testing.T) {
	b, c := controlled(t, Options{})
	require.NoError(t, c.SetCreateTime(t.Context(), CreateTime{Base: time.Hour}))
	created := make(chan error, 1)
	go func() {
		_, _, err := over(t.Context(), b.Server, "POST", "/domain", `{"name":"late","externalReference":"late"}`)
		created <- err
	}()
	require.Eventually(t, func() bool { _, found := b.DomainByReference("late"); return found }, limit, time.Millisecond)
	require.NoError(t, c.SetCreateTime(t.Context(), CreateTime{}))
	require.NoError(t, <-created)
	d, _ := b.DomainByReference("late")
	assert.True(t, d.HasRoot)

	require.NoError(t, c.SetCreateTime(t.Context(), CreateTime{Base: time.Hour}))
	go func() {
		_, _, err := over(t.Context(), b.Server, "POST", "/domain", `{"name":"never","externalReference":"never"}`)
		created <- err
	}()
	require.Eventually(t, func() bool { _, found := b.DomainByReference("never"); return found }, limit, time.Millisecond)
	b.Close()
	t.Logf("the create ended with an error or a 500, whichever came first: %v", <-created)
	d, _ = b.DomainByReference("never")
	assert.False(t, d.HasRoot, "a server that is closed does not finish it")
}

func TestSetCreateTime_RefusesNonsense(t *testing.T) {
	b, c := controlled(t, Options{})
	require.ErrorContains(t, c.SetCreateTime(t.Context(), CreateTime{PerParallel: time.Second}), "needs a base")
	require.ErrorContains(t, c.SetCreateTime(t.Context(), CreateTime{Base: -time.Second}), "negative")
	refused := b.call(t, "PUT", "/__control/create-time", `{"base":"1s","perParallel":"long"}`)
	assert.Equal(t, 400, refused.status)
	assert.Contains(t, refused.raw, "perParallel: ")
	assert.Equal(t, 400, b.call(t, "PUT", "/__control/create-time", `{"bass":"1s"}`).status)
}
