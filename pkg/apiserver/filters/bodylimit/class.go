// SPDX-License-Identifier: Apache-2.0

package bodylimit

import (
	"fmt"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const (
	// Small is the size limit of most bodies in bytes, as in kube-apiserver. A body above it needs
	// a place.
	Small = 3 << 20
	// Large is the size limit of bodies that hold CustomResourceDefinitions, in bytes.
	Large = 12 << 20
	// retryAfterSeconds is when a client may send a refused request again. Memory and places are in
	// use for a short time.
	retryAfterSeconds = 1
)

// Class is the limits that some resources have together. Requests of one class cannot use up what
// another class needs.
type Class struct {
	// Name identifies the class in metrics.
	Name string
	// Resources are those of the class.
	Resources []schema.GroupResource
	// Size is the limit of one body in bytes. If it is above Small, each body is received
	// completely before the request is served, so that a slow client holds no place.
	Size int64
	// Deadline is the time in which a body must arrive.
	Deadline time.Duration
	// Memory is the maximum size in bytes of all received bodies of requests that have not ended.
	// CallerMemory is the part of it that one user may use.
	Memory, CallerMemory int64
	// Places is the maximum number of concurrent requests with bodies above Small, because decoding
	// takes many times their size. CallerPlaces is the part of them that one user may use.
	Places, CallerPlaces int64
	// Wait is the maximum time that a request waits for a place. Memory bounds the number of
	// waiting requests.
	Wait time.Duration
}

// class is a Class with what is in use.
type class struct {
	Class
	memory, places *pool
}

func newClass(c Class) *class {
	return &class{Class: c, memory: newPool(c.Memory, c.CallerMemory), places: newPool(c.Places, c.CallerPlaces)}
}

// The reasons for which a request is refused, as in the metric.
const (
	tooLarge = "size"
	tooSlow  = "deadline"
	noMemory = "memory"
	noPlace  = "places"
)

// refuse counts a refused request and returns the error that the API machinery answers it with.
func (c *class) refuse(reason string) error {
	refused.WithLabelValues(c.Name, reason).Inc()
	switch reason {
	case tooLarge:
		return apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("limit is %d", c.Size))
	case tooSlow:
		return &apierrors.StatusError{ErrStatus: metav1.Status{
			Status: metav1.StatusFailure, Code: http.StatusRequestTimeout, Reason: metav1.StatusReasonTimeout,
			Message: fmt.Sprintf("the body of the request did not arrive within %s", c.Deadline),
		}}
	case noMemory:
		return apierrors.NewTooManyRequests(fmt.Sprintf(
			"the bodies of concurrent requests of this kind are limited to %d MiB, and to %d MiB per user; retry later",
			c.Memory>>20, c.CallerMemory>>20), retryAfterSeconds)
	default:
		return apierrors.NewTooManyRequests(fmt.Sprintf(
			"concurrent requests with bodies above %[2]d MiB are limited to %[1]d, and to %[3]d per user; retry later",
			c.Places, Small>>20, c.CallerPlaces), retryAfterSeconds)
	}
}
