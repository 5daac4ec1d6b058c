// SPDX-License-Identifier: Apache-2.0

package crdwebhook

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
)

func TestAccess_MayList(t *testing.T) {
	widgets := schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}
	failure := errors.New("the cluster does not answer")
	var asked []authorizer.Attributes
	access := NewAccess(authorizer.AuthorizerFunc(func(_ context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
		asked = append(asked, a)
		switch a.GetUser().GetName() {
		case "system:apiserver", "reader":
			return authorizer.DecisionAllow, "", nil
		case "broken":
			return authorizer.DecisionNoOpinion, "", failure
		case "denied":
			return authorizer.DecisionDeny, "", nil
		}
		return authorizer.DecisionNoOpinion, "", nil
	}))
	for name, tc := range map[string]struct {
		sender, named string
		want          bool
		err           error
	}{
		"a reader":              {"system:apiserver", "reader", true, nil},
		"someone else":          {"system:apiserver", "writer", false, nil},
		"a denied user":         {"system:apiserver", "denied", false, nil},
		"no answer":             {"system:apiserver", "broken", false, failure},
		"a reader who is named": {"writer", "reader", false, nil},
	} {
		ctx := genericapirequest.WithUser(t.Context(), &user.DefaultInfo{Name: tc.sender})
		got, err := access.MayList(ctx, authenticationv1.UserInfo{Username: tc.named}, widgets)
		assert.Equal(t, tc.want, got, name)
		assert.Equal(t, tc.err, err, name)
	}

	asked = nil
	ctx := genericapirequest.WithUser(t.Context(), &user.DefaultInfo{Name: "system:apiserver"})
	_, err := access.MayList(ctx, authenticationv1.UserInfo{
		Username: "reader", UID: "1", Groups: []string{"team"}, Extra: map[string]authenticationv1.ExtraValue{"scopes": {"a"}},
	}, widgets)
	require.NoError(t, err)
	require.Len(t, asked, 2)
	assert.Equal(t, authorizer.AttributesRecord{
		User: &user.DefaultInfo{Name: "reader", UID: "1", Groups: []string{"team"}, Extra: map[string][]string{"scopes": {"a"}}},
		Verb: "list", APIGroup: "example.com", APIVersion: "v1", Resource: "widgets", ResourceRequest: true,
	}, asked[1], "in all namespaces, and with all that authorizers go by")

	got, err := access.MayList(t.Context(), authenticationv1.UserInfo{Username: "reader"}, widgets)
	assert.False(t, got)
	assert.Error(t, err)
}
