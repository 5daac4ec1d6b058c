// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"context"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"roadstead.dev/roadstead/test/chaos/history"
)

func TestOutcome(t *testing.T) {
	resource := schema.GroupResource{Group: "takaro.roadstead.dev", Resource: "domains"}
	absent := apierrors.NewNotFound(resource, "a")
	proxy := apierrors.NewGenericServerResponse(404, "post", resource, "a", "404 page not found", 0, true)
	require.True(t, apierrors.IsUnexpectedServerError(proxy))
	for name, c := range map[string]struct {
		verb history.Verb
		err  error
		want history.Outcome
	}{
		"done":                      {history.Create, nil, history.Acknowledged},
		"not valid":                 {history.Create, apierrors.NewInvalid(schema.GroupKind{}, "a", nil), history.Refused},
		"forbidden":                 {history.Create, apierrors.NewForbidden(resource, "a", nil), history.Refused},
		"gone":                      {history.Change, absent, history.Refused},
		"not found":                 {history.Read, absent, history.Refused},
		"deleted by a first try":    {history.Delete, absent, history.Unknown},
		"made by a first try":       {history.Create, apierrors.NewAlreadyExists(resource, "a"), history.Unknown},
		"changed by a first try":    {history.Change, apierrors.NewConflict(resource, "a", nil), history.Unknown},
		"the answer of a proxy":     {history.Read, proxy, history.Unknown},
		"an error of the server":    {history.Create, apierrors.NewInternalError(io.EOF), history.Unknown},
		"the server is not there":   {history.Create, apierrors.NewServiceUnavailable("no endpoints"), history.Unknown},
		"too many":                  {history.Create, apierrors.NewTooManyRequests("later", 1), history.Unknown},
		"no answer in time":         {history.Create, context.DeadlineExceeded, history.Unknown},
		"the connection was closed": {history.Create, io.ErrUnexpectedEOF, history.Unknown},
		"a status without a code":   {history.Create, &apierrors.StatusError{ErrStatus: metav1.Status{}}, history.Unknown},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, Outcome(c.verb, c.err)) })
	}
}
