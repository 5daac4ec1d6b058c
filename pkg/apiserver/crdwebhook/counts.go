// SPDX-License-Identifier: Apache-2.0

package crdwebhook

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	crdpolicy "roadstead.dev/roadstead/pkg/engine/crd/policy"
)

const (
	// counted is the maximum age of the numbers in the metrics of kube-apiserver: its
	// --etcd-count-metric-poll-period.
	counted = time.Minute
	// remembered is how long the numbers are cached: reading them costs kube-apiserver about 100
	// ms, and a user that deletes many CRDs causes a request for each.
	remembered = 5 * time.Second
)

// The metrics of kube-apiserver with the number of stored objects. The second one is the older one;
// its label is <plural>.<group>.
const (
	resourceObjects = "apiserver_resource_objects"
	storageObjects  = "apiserver_storage_objects"
)

// Counts reads the numbers of stored objects from the metrics of kube-apiserver.
type Counts struct {
	metrics func(ctx context.Context) (io.ReadCloser, error)
	clock   clock.PassiveClock
	// one limits the concurrent reads to one.
	one     chan struct{}
	figures map[schema.GroupResource]int64
	read    time.Time
}

// NewCounts returns Counts for a client, which needs the permission to get the non-resource URL
// /metrics.
func NewCounts(client rest.Interface) *Counts {
	return newCounts(func(ctx context.Context) (io.ReadCloser, error) { return client.Get().AbsPath("/metrics").Stream(ctx) },
		clock.RealClock{})
}

func newCounts(metrics func(context.Context) (io.ReadCloser, error), clock clock.PassiveClock) *Counts {
	return &Counts{metrics: metrics, clock: clock, one: make(chan struct{}, 1)}
}

// Count returns the number of objects of a resource, or an error if it is unknown.
func (c *Counts) Count(ctx context.Context, resource schema.GroupResource) (crdpolicy.Count, error) {
	select {
	case c.one <- struct{}{}:
		defer func() { <-c.one }()
	case <-ctx.Done():
		return crdpolicy.Count{}, fmt.Errorf("reading the metrics of the cluster timed out: %w", ctx.Err())
	}
	if c.figures == nil || c.clock.Since(c.read) > remembered {
		begin := c.clock.Now()
		figures, err := c.fetch(ctx)
		if err != nil {
			return crdpolicy.Count{}, fmt.Errorf("cannot read the metrics of the cluster: %w", err)
		}
		c.figures, c.read = figures, begin
	}
	figure, ok := c.figures[resource]
	if !ok || figure < 0 {
		return crdpolicy.Count{}, fmt.Errorf("the metrics of the cluster have no value for %s (%s)", resource, resourceObjects)
	}
	return crdpolicy.Count{Objects: figure, Age: counted + c.clock.Since(c.read)}, nil
}

func (c *Counts) fetch(ctx context.Context) (map[schema.GroupResource]int64, error) {
	stream, err := c.metrics(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = stream.Close() }()
	return figuresOf(stream)
}

// figuresOf reads only the lines of two metrics, because there are tens of thousands of other
// lines.
func figuresOf(text io.Reader) (map[schema.GroupResource]int64, error) {
	var relevant bytes.Buffer
	reader := bufio.NewReaderSize(text, 1<<16)
	for {
		line, err := reader.ReadSlice('\n')
		if bytes.HasPrefix(line, []byte(resourceObjects+"{")) || bytes.HasPrefix(line, []byte(storageObjects+"{")) {
			relevant.Write(line)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		// The rest of a line that exceeds the buffer never has one of the names as its prefix.
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(&relevant)
	if err != nil {
		return nil, err
	}
	figures := map[schema.GroupResource]int64{}
	for _, name := range []string{storageObjects, resourceObjects} {
		for _, metric := range families[name].GetMetric() {
			labels := map[string]string{}
			for _, label := range metric.GetLabel() {
				labels[label.GetName()] = label.GetValue()
			}
			resource := schema.GroupResource{Group: labels["group"], Resource: labels["resource"]}
			if name == storageObjects {
				resource = schema.ParseGroupResource(labels["resource"])
			}
			// Lines without a type are untyped.
			figures[resource] = int64(metric.GetUntyped().GetValue())
		}
	}
	return figures, nil
}
