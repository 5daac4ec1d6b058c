// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"roadstead.dev/roadstead/test/chaos/check"
	"roadstead.dev/roadstead/test/chaos/history"
	"roadstead.dev/roadstead/test/chaos/observe"
)

// client writes in one namespace at a time.
type client struct {
	*Workload
	number    int
	prefix    string
	takaroURL string

	namespace  string
	namespaces int
	made       int
	crds       int
	held       []held
}

// held is an object that the client may have created and has not deleted.
type held struct {
	key    history.Key
	domain string
	// form is that of a Domain. claim reports that the Domain specifies the reference of a foreign
	// domain, which must be refused.
	form  form
	claim bool
}

// requestLimit is longer than the server waits for a request, so that the client receives the
// server's response if there is one.
const requestLimit = 12 * time.Second

func (c *client) count(kind string) int {
	n := 0
	for _, one := range c.held {
		if one.key.Kind == kind {
			n++
		}
	}
	return n
}

// choose returns one of the held objects that are wanted.
func (c *client) choose(pick int, wanted func(held) bool) (held, bool) {
	var all []held
	for _, one := range c.held {
		if wanted(one) {
			all = append(all, one)
		}
	}
	if len(all) == 0 {
		return held{}, false
	}
	return all[pick%len(all)], true
}

// forget removes an object and, for a Domain, the objects that belong to it.
func (c *client) forget(gone held) {
	c.held = slices.DeleteFunc(c.held, func(one held) bool {
		return one.key == gone.key || gone.key.Kind == check.Domain && one.domain == gone.key.Name
	})
}

// note performs a request and records its result.
func (c *client) note(ctx context.Context, w history.Write, do func(context.Context) (*unstructured.Unstructured, error)) (history.Outcome,
	*unstructured.Unstructured) {
	ctx, cancel := context.WithTimeout(ctx, requestLimit)
	defer cancel()
	w.Begin = time.Now()
	answer, err := do(ctx)
	w.End = time.Now()
	w.Outcome = Outcome(w.Verb, err)
	if err != nil {
		w.Note = err.Error()
	} else if answer != nil {
		w.UID, w.Version = string(answer.GetUID()), answer.GetResourceVersion()
	}
	if w.Verb == history.Read {
		w.Absent = w.Outcome == history.Refused
		if w.Absent {
			w.Outcome = history.Acknowledged
		} else if answer != nil {
			object := observe.Object(answer)
			w.Mark, w.Deleting = object.Mark, object.Deleting
		}
	}
	c.history.Add(w)
	if w.Outcome == history.Refused {
		c.world.Logf("%s of %s is refused: %s", w.Verb, w.Key, w.Note)
	}
	return w.Outcome, answer
}

// Outcome classifies the result of a request. The client library repeats requests if the server
// demands it, so that a response about the effect of a request may be about its first attempt.
func Outcome(verb history.Verb, err error) history.Outcome {
	if err == nil {
		return history.Acknowledged
	}
	var status apierrors.APIStatus
	if !errors.As(err, &status) || apierrors.IsUnexpectedServerError(err) {
		return history.Unknown
	}
	switch status.Status().Code {
	case http.StatusBadRequest, http.StatusForbidden, http.StatusMethodNotAllowed, http.StatusRequestEntityTooLarge,
		http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity:
		return history.Refused
	case http.StatusNotFound:
		if verb == history.Read || verb == history.Change {
			return history.Refused
		}
	}
	return history.Unknown
}

// nextNamespace creates the next namespace of the client.
func (c *client) nextNamespace(ctx context.Context) {
	if c.prefix == "" {
		c.prefix = fmt.Sprintf("chaos-%d", c.number)
	}
	if c.takaroURL == "" {
		c.takaroURL = c.world.TakaroURL
	}
	c.namespaces++
	c.namespace, c.held = fmt.Sprintf("%s-%d", c.prefix, c.namespaces), nil
	for ctx.Err() == nil {
		_, err := c.world.Client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: c.namespace}},
			metav1.CreateOptions{})
		if err == nil || apierrors.IsAlreadyExists(err) {
			return
		}
		wait(ctx, time.Second)
	}
}

// deleteNamespace deletes the current namespace and retries until the result is known.
func (c *client) deleteNamespace(ctx context.Context) {
	for ctx.Err() == nil {
		begin := time.Now()
		err := c.world.Client.CoreV1().Namespaces().Delete(ctx, c.namespace, metav1.DeleteOptions{})
		known := err == nil || apierrors.IsNotFound(err) || apierrors.IsConflict(err)
		w := history.Write{ID: c.history.Mark(), Key: history.Key{Kind: "Namespace", Namespace: c.namespace}, Verb: history.DeleteNamespace,
			Begin: begin, End: time.Now(), Outcome: history.Unknown}
		if known {
			w.Outcome = history.Acknowledged
		} else {
			w.Note = err.Error()
		}
		c.history.Add(w)
		if known {
			return
		}
		wait(ctx, time.Second)
	}
}
