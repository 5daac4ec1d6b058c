// SPDX-License-Identifier: Apache-2.0

package bodylimit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apiserver/pkg/authentication/user"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
)

// body is the body of one request. What has arrived is charged to the class until the request ends.
// The length that the client declares is never used to reserve or allocate memory: a client that
// declares much and sends little holds little.
type body struct {
	io.ReadCloser
	class    *class
	caller   caller
	deadline *http.ResponseController
	// arrived is in bytes, and charged.
	arrived int64
	// places is 1 while the request has a place.
	places int64
}

func (c *class) newBody(w http.ResponseWriter, r *http.Request) *body {
	return &body{ReadCloser: r.Body, class: c, caller: callerOf(r.Context()), deadline: http.NewResponseController(w)}
}

// callerOf returns the user of a request. Members of system:masters have no limit of their own:
// kube-apiserver is one of them when it calls the CRD guard, and one user for all changes of CRDs.
func callerOf(ctx context.Context) caller {
	info, ok := genericapirequest.UserFrom(ctx)
	if !ok {
		return caller{}
	}
	return caller{name: info.GetName(), privileged: slices.Contains(info.GetGroups(), user.SystemPrivilegedGroup)}
}

// admit starts the deadline. In a class with large bodies it also receives the body and takes a
// place if one is needed.
func (b *body) admit(r *http.Request) error {
	if r.ContentLength > b.class.Size {
		return b.class.refuse(tooLarge)
	}
	if err := b.deadline.SetReadDeadline(time.Now().Add(b.class.Deadline)); err != nil {
		return fmt.Errorf("set the read deadline of the request: %w", err)
	}
	r.Body = b
	if b.class.Size <= Small {
		return nil
	}
	received, err := receive(b)
	if err != nil {
		return err
	}
	r.Body = received
	if b.arrived <= Small {
		return nil
	}
	ctx, cancel := context.WithTimeout(r.Context(), b.class.Wait)
	defer cancel()
	if !b.class.places.await(ctx, b.caller, 1) {
		return b.class.refuse(noPlace)
	}
	b.places = 1
	return nil
}

// Read charges what has arrived.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 && !b.class.memory.take(b.caller, int64(n)) {
		return 0, b.class.refuse(noMemory)
	}
	b.arrived += int64(n)
	switch {
	case b.arrived > b.class.Size:
		return 0, b.class.refuse(tooLarge)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return 0, b.class.refuse(tooSlow)
	case errors.Is(err, io.EOF):
		// From now on the server reads from a connection of HTTP/1.1 to notice that the client
		// disconnects. The deadline would end the request then. An error means that the connection
		// is closed.
		_ = b.deadline.SetReadDeadline(time.Time{})
	case err != nil:
		// Usually the client has disconnected, which is not an error of this server.
		err = apierrors.NewBadRequest(fmt.Sprintf("read the body of the request: %v", err))
	}
	return n, err
}

// release returns what the request has taken. It must be called when the request has been served.
func (b *body) release() {
	b.class.memory.put(b.caller, b.arrived)
	b.class.places.put(b.caller, b.places)
}
