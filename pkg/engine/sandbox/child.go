// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"roadstead.dev/roadstead/pkg/util/text"
)

// Argument is the first argument of a child. The second one is the name of a Handler.
const Argument = "sandbox"

// Exit statuses of a child.
const (
	exitFailed  = 1
	exitTooSlow = 3
)

// Lookup sends a question to the parent and returns its answer.
type Lookup func(question json.RawMessage) (json.RawMessage, error)

// Handler does the work of a child. It returns the objects of the result, which are encoded as JSON, or an error. The error
// is a *Refusal if it needs a code in addition to its text.
type Handler func(ctx context.Context, request json.RawMessage, lookup Lookup) ([]any, error)

// Main runs the child. It must be the first statement of a program that uses a Sandbox: it returns if the arguments are not
// those of a child, and otherwise does the work and exits.
func Main(args []string, handlers map[string]Handler) {
	if len(args) > 1 && args[1] == Argument {
		os.Exit(serve(args[2:], handlers, defaultLimits()))
	}
}

// serve runs a child and returns its exit status.
func serve(args []string, handlers map[string]Handler, with limits) int {
	end := time.AfterFunc(with.duration, func() { os.Exit(exitTooSlow) })
	defer end.Stop()
	out := &outgoing{to: os.Stdout}
	if err := confine(with); err != nil {
		return out.fail(failure{Kind: KindUnavailable, Text: err.Error()})
	}
	handler := selfTests
	if len(args) != 1 || args[0] != selfTest {
		handler = nil
		if len(args) == 1 {
			handler = handlers[args[0]]
		}
	}
	if handler == nil {
		return out.fail(failure{Kind: KindUnavailable, Text: fmt.Sprintf("no handler for %q", args)})
	}
	from := bufio.NewReader(os.Stdin)
	request, err := readFrame(from, MaxRequest)
	if err != nil {
		return exitFailed // the parent stopped waiting
	}
	ctx, cancel := context.WithTimeout(context.Background(), with.duration)
	defer cancel()
	answers := newAnswers(from, out)
	objects, err := handler(ctx, request, answers.lookup)
	if err != nil {
		return out.fail(refused(err))
	}
	return out.result(objects)
}

// refused returns the failure for an error of a Handler.
func refused(err error) failure {
	told := failure{Kind: KindRefused, Text: text.Line(err.Error(), maxText)}
	if refusal, ok := errors.AsType[*Refusal](err); ok {
		told.Code = refusal.Code
	}
	return told
}

// outgoing sends frames to the parent. It is safe for concurrent use, because goroutines may call Lookup concurrently.
type outgoing struct {
	mu sync.Mutex
	to io.Writer
}

func (o *outgoing) send(one message) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return writeJSON(o.to, one)
}

func (o *outgoing) fail(why failure) int {
	_ = o.send(message{Failure: &why})
	return exitFailed
}

// result sends the objects, or a failure if they are too large.
func (o *outgoing) result(objects []any) int {
	if len(objects) > MaxObjects {
		return o.fail(tooMany(len(objects)))
	}
	encoded, total := make([]json.RawMessage, len(objects)), 0
	for i, object := range objects {
		content, err := json.Marshal(object)
		if err != nil {
			return o.fail(refused(fmt.Errorf("encode the result: %w", err)))
		}
		if total += len(content); total > MaxResult {
			return o.fail(tooLong())
		}
		encoded[i] = content
	}
	for _, content := range encoded {
		if o.send(message{Object: content}) != nil {
			return exitFailed
		}
	}
	if o.send(message{Done: true}) != nil {
		return exitFailed
	}
	return 0
}

func tooMany(objects int) failure {
	return failure{Kind: KindTooLarge, Text: fmt.Sprintf("result has %d objects, but only %d are allowed", objects, MaxObjects)}
}

func tooLong() failure {
	return failure{Kind: KindTooLarge, Text: fmt.Sprintf("result is larger than %d MiB", MaxResult>>20)}
}

// answers are the frames from the parent after the request. When they end, the parent exited or stopped waiting, and the
// child exits, too.
type answers struct {
	mu   sync.Mutex // serializes lookups
	out  *outgoing
	next chan []byte
}

func newAnswers(from io.Reader, out *outgoing) *answers {
	a := &answers{out: out, next: make(chan []byte)}
	go func() {
		for {
			frame, err := readFrame(from, maxAnswer+overhead)
			if err != nil {
				os.Exit(exitFailed)
			}
			a.next <- frame
		}
	}()
	return a
}

// lookup implements Lookup.
func (a *answers) lookup(question json.RawMessage) (json.RawMessage, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.out.send(message{Lookup: question}); err != nil {
		return nil, err
	}
	var got answer
	if err := json.Unmarshal(<-a.next, &got); err != nil {
		return nil, err
	}
	if got.Error != "" {
		return nil, errors.New(got.Error)
	}
	return got.Found, nil
}
