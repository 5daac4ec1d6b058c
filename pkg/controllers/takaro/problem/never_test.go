// SPDX-License-Identifier: Apache-2.0

package problem

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
)

// ends is a reader that knows whether the namespace "team" was deleted.
type ends struct {
	client.Reader
	ended bool
	err   error
}

func (e ends) Ended(_ context.Context, name string) (bool, error) {
	return e.ended && name == "team", e.err
}

func TestAwaited(t *testing.T) {
	live := fake.NewClientBuilder().Build()
	unavailable := errors.New("unavailable")
	for name, c := range map[string]struct {
		live              client.Reader
		namespace, reason string
		never             bool
		err               error
	}{
		"deleted":                       {ends{live, true, nil}, "team", v1alpha1.ReasonSecretNotFound, true, nil},
		"only absent":                   {ends{live, false, nil}, "team", v1alpha1.ReasonSecretNotFound, false, nil},
		"absent, and nothing was seen":  {live, "team", v1alpha1.ReasonSecretNotFound, false, nil},
		"another namespace was deleted": {ends{live, true, nil}, "other", v1alpha1.ReasonSecretNotFound, false, nil},
		"Takaro may answer later":       {ends{live, true, nil}, "team", v1alpha1.ReasonEndpointUnavailable, false, nil},
		"the Secret may be corrected":   {ends{live, true, nil}, "team", v1alpha1.ReasonSecretKeyMissing, false, nil},
		"unknown":                       {ends{live, false, unavailable}, "team", v1alpha1.ReasonSecretNotFound, false, unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			blocked, err := Awaited(t.Context(), c.live, c.namespace, &base.Blocked{Reason: c.reason}, "It is left")
			require.Equal(t, c.never, blocked == nil)
			require.Equal(t, c.err, err)
		})
	}
}
