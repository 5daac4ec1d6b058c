// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type reviews struct {
	user string
	err  error
}

func (r reviews) Create(context.Context, *authenticationv1.SelfSubjectReview, metav1.CreateOptions) (*authenticationv1.SelfSubjectReview,
	error) {
	answer := &authenticationv1.SelfSubjectReview{}
	answer.Status.UserInfo.Username = r.user
	return answer, r.err
}

func TestOwnUser(t *testing.T) {
	user, err := ownUser(t.Context(), reviews{user: "system:serviceaccount:a:b"})
	require.NoError(t, err)
	require.Equal(t, "system:serviceaccount:a:b", user)

	_, err = ownUser(t.Context(), reviews{err: errors.New("forbidden")})
	require.ErrorContains(t, err, "forbidden")
	require.ErrorContains(t, err, "system:basic-user")

	_, err = ownUser(t.Context(), reviews{})
	require.ErrorContains(t, err, "has no user name")
}
