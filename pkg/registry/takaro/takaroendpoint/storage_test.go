// SPDX-License-Identifier: Apache-2.0

package takaroendpoint

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/authentication/user"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"

	"roadstead.dev/roadstead/pkg/apis/takaro"
)

func TestOnlyTheControllerCreates(t *testing.T) {
	const controller = "system:serviceaccount:roadstead-system:roadstead-controller"
	create := onlyController(controller)
	endpoint := &takaro.TakaroEndpoint{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "api"}}
	as := func(name string) context.Context {
		return genericapirequest.WithUser(t.Context(), &user.DefaultInfo{Name: name, Groups: []string{"system:masters"}})
	}
	_, err := create(as(controller), endpoint, nil)
	require.NoError(t, err)
	for name, ctx := range map[string]context.Context{"an administrator": as("admin"), "no user": t.Context(), "an empty name": as("")} {
		_, err := create(ctx, endpoint, nil)
		assert.True(t, apierrors.IsForbidden(err), name)
		assert.ErrorContains(t, err, controller, name)
	}
}

func TestHeldColumn(t *testing.T) {
	endpoint := &takaro.TakaroEndpoint{}
	assert.EqualValues(t, 0, held(endpoint))
	endpoint.Status.Holds = []takaro.Hold{{Type: takaro.HoldVanished, Held: 4}, {Type: "Other", Held: 2}}
	assert.EqualValues(t, 6, held(endpoint))
}
