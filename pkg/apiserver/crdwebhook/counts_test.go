// SPDX-License-Identifier: Apache-2.0

package crdwebhook

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
	testingclock "k8s.io/utils/clock/testing"
)

var widgets = schema.GroupResource{Group: "example.com", Resource: "widgets"}

func TestFiguresOfBothMetrics(t *testing.T) {
	long := "other{a=\"" + strings.Repeat("x", 1<<17) + "\"} 1\n"
	figures, err := figuresOf(strings.NewReader("# TYPE apiserver_resource_objects gauge\n" + long +
		"apiserver_storage_objects{resource=\"widgets.example.com\"} 3\napiserver_storage_objects{resource=\"old.example.com\"} 4\n" +
		"apiserver_resource_objects{group=\"example.com\",resource=\"widgets\"} " +
		"5\napiserver_resource_objects{group=\"\",resource=\"pods\"} 1.2e+06\n" +
		"apiserver_resource_objects{group=\"example.com\",resource=\"failed\"} -1\napiserver_resource_objects_more{a=\"b\"} 9"))
	require.NoError(t, err)
	assert.Equal(t, map[schema.GroupResource]int64{
		widgets: 5, {Group: "example.com", Resource: "old"}: 4, {Resource: "pods"}: 1200000, {Group: "example.com", Resource: "failed"}: -1,
	}, figures)
	_, err = figuresOf(strings.NewReader("apiserver_resource_objects{group=\n"))
	require.Error(t, err)
	_, err = figuresOf(io.MultiReader(strings.NewReader("x\n"), failingReader{}))
	require.ErrorContains(t, err, "cut off")
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, errors.New("cut off") }

func TestCountsAreRememberedForAWhile(t *testing.T) {
	clock := testingclock.NewFakePassiveClock(time.Unix(1000, 0))
	reads, text, failure := 0, "apiserver_resource_objects{group=\"example.com\",resource=\"widgets\"} 5\n", error(nil)
	counts := newCounts(func(context.Context) (io.ReadCloser, error) {
		reads++
		return io.NopCloser(strings.NewReader(text)), failure
	}, clock)
	count, err := counts.Count(t.Context(), widgets)
	require.NoError(t, err)
	assert.EqualValues(t, 5, count.Objects)
	assert.Equal(t, counted, count.Age)

	clock.SetTime(time.Unix(1004, 0))
	count, err = counts.Count(t.Context(), widgets)
	require.NoError(t, err)
	assert.Equal(t, 64*time.Second, count.Age)
	assert.Equal(t, 1, reads)

	clock.SetTime(time.Unix(1006, 0))
	text = "apiserver_resource_objects{group=\"example.com\",resource=\"widgets\"} -1\n"
	_, err = counts.Count(t.Context(), widgets)
	require.ErrorContains(t, err, "no value for widgets.example.com")
	_, err = counts.Count(t.Context(), schema.GroupResource{Resource: "none"})
	require.ErrorContains(t, err, "no value for none")
	assert.Equal(t, 2, reads)

	clock.SetTime(time.Unix(1100, 0))
	failure = errors.New("no right")
	_, err = counts.Count(t.Context(), widgets)
	require.ErrorContains(t, err, "cannot read the metrics of the cluster: no right")
}

func TestCounts_RequestTimeout(t *testing.T) {
	counts := newCounts(nil, testingclock.NewFakePassiveClock(time.Unix(0, 0)))
	counts.one <- struct{}{}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := counts.Count(ctx, widgets)
	require.ErrorContains(t, err, "timed out")
}
