// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"k8s.io/klog/v2"
)

const (
	// selfTest is the name of the handler of the built-in tests.
	selfTest = "self-test"
	// selfTestNamespace is the namespace of the seat of the tests. No namespace has this name.
	selfTestNamespace = ""
	// retest is the time between tests while the sandbox is not usable.
	retest = time.Minute
	// testChurn is the number of bytes that the test of the garbage collector allocates in total: enough for several
	// cycles, and so little that the test passes if the collector is slow on a busy machine.
	testChurn = 128 << 20
)

// testRequest contains the names of built-in tests.
type testRequest struct {
	Tests []string `json:"tests"`
}

// builtIn contains the tests in order. The first ones try operations that must fail.
var builtIn = []string{"open", "socket", "kill", "garbage-collection", "goroutines", "timers"}

// Test runs the tests in children: opening a file, creating a socket and sending a signal must fail, and garbage collection,
// goroutines, timers and the sample must succeed. Until it passes, Reserve returns its error, which names the first failed
// test.
func (s *Sandbox) Test(ctx context.Context) error {
	seat := &Seat{sandbox: s, namespace: selfTestNamespace}
	if _, err := seat.Run(ctx, selfTest, testRequest{Tests: builtIn}, nil); err != nil {
		return s.failed(ctx, s.firstFailing(ctx, seat), err)
	}
	if s.options.Sample != nil {
		if err := s.options.Sample(ctx, seat); err != nil {
			return s.failed(ctx, "sample", err)
		}
	}
	s.setUsable(nil)
	return nil
}

// firstFailing returns the name of the first built-in test that fails in a separate child: a test that crashes its child
// cannot report its name.
func (s *Sandbox) firstFailing(ctx context.Context, seat *Seat) string {
	for _, name := range builtIn {
		if _, err := seat.Run(ctx, selfTest, testRequest{Tests: []string{name}}, nil); err != nil {
			return name
		}
	}
	return "all together"
}

func (s *Sandbox) failed(ctx context.Context, name string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	why := &Error{Kind: KindUnavailable, Message: fmt.Sprintf("self-test %q failed: %v", name, err)}
	s.setUsable(why)
	return why
}

// Start tests the sandbox, and repeats the test each minute as long as it is not usable. It returns when ctx ends.
func (s *Sandbox) Start(ctx context.Context) error {
	log := klog.FromContext(ctx)
	for {
		if why := s.usable(); why != nil || !s.wasTested() {
			if err := s.Test(ctx); err == nil {
				log.Info("The self-test of the sandbox passed, charts are rendered")
			} else if ctx.Err() == nil {
				log.Error(err, "The self-test of the sandbox failed, no charts are rendered until it passes. It is repeated every minute")
			}
		}
		select {
		case <-time.After(retest):
		case <-ctx.Done():
			return nil
		}
	}
}

func (s *Sandbox) wasTested() bool {
	select {
	case <-s.tested:
		return true
	default:
		return false
	}
}

// NeedLeaderElection returns false, because replicas that are not the leader test the sandbox, too.
func (s *Sandbox) NeedLeaderElection() bool { return false }

// selfTests is the Handler of the built-in tests.
func selfTests(ctx context.Context, request json.RawMessage, _ Lookup) ([]any, error) {
	var wanted testRequest
	if err := json.Unmarshal(request, &wanted); err != nil {
		return nil, err
	}
	for _, name := range wanted.Tests {
		if err := runTest(ctx, name); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

func runTest(ctx context.Context, name string) error {
	switch name {
	case "garbage-collection":
		return churn()
	case "goroutines":
		return goroutines()
	case "timers":
		return timers(ctx)
	}
	return mustFail(name)
}

// churn allocates until the garbage collector has run.
func churn() error {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	const piece = 1 << 20
	for range testChurn / piece {
		runtime.KeepAlive(make([]byte, piece)) // prevents the compiler from removing the allocation
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if after.NumGC == before.NumGC {
		return errors.New("the garbage collector did not run")
	}
	return nil
}

// goroutines runs more goroutines than there are threads.
func goroutines() error {
	var all sync.WaitGroup
	results := make(chan int, 2*maxThreads)
	for i := range 2 * maxThreads {
		all.Go(func() {
			sum := 0
			for n := range 100_000 {
				sum += n * i
			}
			runtime.Gosched()
			results <- sum
		})
	}
	all.Wait()
	if len(results) != 2*maxThreads {
		return errors.New("goroutines did not end")
	}
	return nil
}

// timers tests all ways in which the Go runtime waits.
func timers(ctx context.Context) error {
	const short = 5 * time.Millisecond
	fired := make(chan struct{})
	time.AfterFunc(short, func() { close(fired) })
	ticker := time.NewTicker(short)
	defer ticker.Stop()
	for _, wait := range []<-chan struct{}{fired, tick(ticker)} {
		select {
		case <-wait:
		case <-ctx.Done():
			return errors.New("a timer did not fire")
		}
	}
	return nil
}

func tick(ticker *time.Ticker) <-chan struct{} {
	ticked := make(chan struct{})
	go func() {
		<-ticker.C
		close(ticked)
	}()
	return ticked
}
