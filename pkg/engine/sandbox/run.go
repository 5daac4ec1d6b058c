// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"k8s.io/klog/v2"

	"roadstead.dev/roadstead/pkg/util/text"
)

// Answer answers the lookups of a child. Its errors are sent to the child, so they must not contain confidential data.
type Answer func(ctx context.Context, question json.RawMessage) (json.RawMessage, error)

// Run runs the Handler with the given name on a request, which is encoded as JSON, and returns the objects of its result. Each
// is one unvalidated JSON value. A nil answer rejects all lookups. Errors are an *Error, or the cause of ctx.
func (s *Seat) Run(ctx context.Context, handler string, request any, answer Answer) ([]json.RawMessage, error) {
	encoded, err := json.Marshal(request)
	if err != nil {
		return nil, &Error{Kind: KindRefused, Message: "encode the request: " + err.Error()}
	}
	if len(encoded) > MaxRequest {
		return nil, &Error{Kind: KindTooLarge, Message: fmt.Sprintf("input is larger than %d MiB", MaxRequest>>20)}
	}
	if err := s.sandbox.enter(ctx); err != nil {
		return nil, err
	}
	defer s.sandbox.exit()
	objects, err := s.sandbox.run(ctx, handler, encoded, answer)
	if found, ok := errors.AsType[*Error](err); ok && found.Kind == KindUnavailable && handler != selfTest {
		s.sandbox.setUsable(found)
	}
	return objects, err
}

func (s *Sandbox) run(ctx context.Context, handler string, request []byte, answer Answer) ([]json.RawMessage, error) {
	child, err := start(ctx, handler, s.options.Timeout)
	if err != nil {
		return nil, &Error{Kind: KindUnavailable, Message: fmt.Sprintf("start a sandboxed process: %v", err)}
	}
	defer child.end()
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		// The error is redundant: the child ended without reading the entire request.
		_ = writeFrame(child.in, request)
	}()
	r := result{ctx: ctx, from: bufio.NewReader(child.out), to: child.in, sent: sent, answer: answer}
	found, err := r.read()
	if err == nil {
		return found, nil
	}
	if failed, ok := errors.AsType[*Error](err); ok && failed.Kind != KindCrashed {
		return nil, failed
	}
	// The streams ended early, or contain invalid frames. The state of the child is more informative.
	return nil, s.ended(ctx, handler, child, err)
}

// ended returns why a child has no result, after its end. broken is the error of its output.
func (s *Sandbox) ended(ctx context.Context, handler string, child *process, broken error) error {
	why := child.wait(!errors.Is(broken, io.EOF) && !errors.Is(broken, io.ErrUnexpectedEOF))
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	klog.FromContext(ctx).WithValues(child.describe()...).Info("A sandboxed process ended without a result",
		"handler", handler, "kind", why.Kind, "output", broken.Error())
	return why
}

// result reads the frames of one child.
type result struct {
	ctx     context.Context
	from    io.Reader
	to      io.Writer
	sent    <-chan struct{}
	answer  Answer
	objects []json.RawMessage
	size    int
	lookups int
}

// read returns the objects, or an error: an *Error if the child sent one or exceeded a limit, otherwise the error of the
// stream.
func (r *result) read() ([]json.RawMessage, error) {
	for {
		frame, err := readFrame(r.from, MaxResult+overhead)
		if err != nil {
			return nil, err
		}
		var one message
		if err := json.Unmarshal(frame, &one); err != nil {
			return nil, fmt.Errorf("frame: %w", err)
		}
		switch {
		case one.Failure != nil:
			return nil, one.Failure.error()
		case one.Object != nil:
			if r.size += len(one.Object); r.size > MaxResult {
				return nil, tooLong().error()
			}
			if len(r.objects) == MaxObjects {
				return nil, tooMany(MaxObjects + 1).error()
			}
			r.objects = append(r.objects, one.Object)
		case one.Lookup != nil:
			if err := r.lookup(one.Lookup); err != nil {
				return nil, err
			}
		case one.Done:
			return r.objects, nil
		default:
			return nil, errors.New("frame: empty")
		}
	}
}

// lookup answers one lookup.
func (r *result) lookup(question json.RawMessage) error {
	if r.lookups++; r.lookups > maxLookups || len(question) > maxAnswer {
		return fmt.Errorf("frame: more than %d lookups, or one of more than %d MiB", maxLookups, maxAnswer>>20)
	}
	told := answer{Error: "lookups are not supported"}
	if r.answer != nil {
		found, err := r.answer(r.ctx, question)
		switch {
		case err != nil:
			told = answer{Error: text.Line(err.Error(), maxText)}
		case len(found) > maxAnswer:
			told = answer{Error: fmt.Sprintf("answer is larger than %d MiB", maxAnswer>>20)}
		default:
			told = answer{Found: found}
		}
	}
	<-r.sent // the request must be complete before the next frame
	return writeJSON(r.to, told)
}

// error returns a failure of the child as an *Error. Kinds that a child must not use become KindCrashed.
func (f failure) error() *Error {
	told := &Error{Kind: f.Kind, Message: text.Line(f.Text, maxText)}
	switch f.Kind {
	case KindTooLarge, KindUnavailable:
	case KindRefused:
		told.Code = text.Line(f.Code, 100)
	default:
		told.Kind = KindCrashed
	}
	return told
}
