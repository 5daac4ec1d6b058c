// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"errors"
	"fmt"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// reviewer returns the user of a client. The client of SelfSubjectReviews implements it.
type reviewer interface {
	Create(context.Context, *authenticationv1.SelfSubjectReview, metav1.CreateOptions) (*authenticationv1.SelfSubjectReview, error)
}

// ownUser returns the user name with which this process authenticates to the API server.
// roadstead-apiserver records that name in status.createdBy, so that the controller recognizes the
// objects that it created itself.
func ownUser(ctx context.Context, reviews reviewer) (string, error) {
	review, err := reviews.Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("determine the user of the controller: create SelfSubjectReview: %w; "+
			"the controller needs the verb create on selfsubjectreviews.authentication.k8s.io, which the ClusterRole system:basic-user grants", err)
	}
	if review.Status.UserInfo.Username == "" {
		return "", errors.New("determine the user of the controller: SelfSubjectReview has no user name; check the credentials of the controller")
	}
	return review.Status.UserInfo.Username, nil
}
