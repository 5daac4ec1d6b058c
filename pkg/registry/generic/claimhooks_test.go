// SPDX-License-Identifier: Apache-2.0

package generic

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"

	"roadstead.dev/roadstead/pkg/apis/takaro"
)

// uniqueField makes a field whose holders only "friend" may see.
func uniqueField(claims *Claims) UniqueField[*takaro.Domain] {
	return UniqueField[*takaro.Domain]{
		Claims: claims, Field: "spec.externalReferenceId",
		Authorizer: authorizer.AuthorizerFunc(func(_ context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
			if a.GetUser().GetName() == "friend" && a.GetVerb() == "get" && a.GetNamespace() == "ns" && a.GetName() == "holder" {
				return authorizer.DecisionAllow, "", nil
			}
			return authorizer.DecisionNoOpinion, "", nil
		}),
	}
}

func TestRefusal(t *testing.T) {
	u, gr := uniqueField(nil), takaro.Resource("domains")
	claimed := &ClaimedError{Holder: object("holder")}
	as := func(name string) context.Context {
		return genericapirequest.WithUser(t.Context(), &user.DefaultInfo{Name: name})
	}
	err := u.refusal(as("friend"), gr, object("mine"), claimed)
	require.True(t, apierrors.IsConflict(err))
	require.ErrorContains(t, err, "in use by domains.takaro.roadstead.dev ns/holder")
	for name, ctx := range map[string]context.Context{"stranger": as("stranger"), "nobody": t.Context()} {
		err = u.refusal(ctx, gr, object("mine"), claimed)
		require.True(t, apierrors.IsConflict(err), name)
		require.ErrorContains(t, err, "in use by another object", name)
		require.NotContains(t, err.Error(), "holder", name)
	}
	again := object("holder")
	again.UID = "another"
	require.True(t, apierrors.IsAlreadyExists(u.refusal(as("stranger"), gr, again, claimed)), "the same manifest again")
	err = u.refusal(as("friend"), gr, object("mine"), errors.New("etcd said something secret"))
	require.True(t, apierrors.IsServiceUnavailable(err))
	require.NotContains(t, err.Error(), "secret")
}

func TestGiveUpKeepsTheClaimOfAnObjectThatMayBeStored(t *testing.T) {
	claims, _ := newClaims(t)
	u := uniqueField(claims)
	mine := object("mine")
	require.NoError(t, claims.Take(t.Context(), "kind", "a", mine, stored(false), false))
	held := func() bool {
		var claimed *ClaimedError
		return errors.As(claims.Take(t.Context(), "kind", "a", object("other"), stored(true), true), &claimed)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, u.giveUp(ended, "kind", "a", mine, stored(false)), context.Canceled)
	require.True(t, held(), "the request ran out of time: its object may be stored yet")
	require.NoError(t, u.giveUp(t.Context(), "kind", "a", mine, stored(true)))
	require.True(t, held(), "the object was stored, only the answer was lost")
	broken := errors.New("store is down")
	require.ErrorIs(t, u.giveUp(t.Context(), "kind", "a", mine, func(context.Context, Owner) (bool, error) { return false, broken }), broken)
	require.True(t, held())
	require.NoError(t, u.giveUp(t.Context(), "kind", "a", mine, stored(false)))
	require.False(t, held())
}
