// SPDX-License-Identifier: Apache-2.0

package user

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/generated/clientset/versioned"
	"roadstead.dev/roadstead/pkg/takaro"
)

// givenReader reads spec.password, which no read of the object shows.
type givenReader interface {
	// read returns the password, and false when none was given there.
	read(ctx context.Context, namespace, name string) (takaro.Secret, bool, error)
}

// credentialsReader asks the subresource users/credentials.
type credentialsReader struct {
	client versioned.Interface
}

func (c credentialsReader) read(ctx context.Context, namespace, name string) (takaro.Secret, bool, error) {
	answer := &v1alpha1.UserCredentials{}
	err := c.client.TakaroV1alpha1().RESTClient().Post().Namespace(namespace).Resource("users").Name(name).
		SubResource("credentials").Body(&v1alpha1.UserCredentials{}).Do(ctx).Into(answer)
	if apierrors.ReasonForError(err) == v1alpha1.StatusReasonNotGiven {
		return takaro.Secret{}, false, nil
	}
	if err != nil {
		return takaro.Secret{}, false, err
	}
	return takaro.NewSecret(answer.Password), true, nil
}
