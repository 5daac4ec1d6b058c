// SPDX-License-Identifier: Apache-2.0

package user

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base/shortlived"
	"roadstead.dev/roadstead/pkg/engine/takaro"
	"roadstead.dev/roadstead/pkg/generated/clientset/versioned"
)

// givenLife is how long the result for spec.password is cached, and so how long a password stays in
// memory for that purpose.
const givenLife = 30 * time.Second

// givenReader reads spec.password, which the API server does not return with the object.
type givenReader interface {
	// read returns the password, and false if spec.password is not set.
	read(ctx context.Context, user *v1alpha1.User) (takaro.Secret, bool, error)
}

// givenCache caches a result for givenLife, so that a User which is reconciled often causes one
// request. The API server increments the generation for each request that sets a password, so the
// cache is not used for a User whose spec changed. Errors are not cached.
type givenCache struct {
	givenReader
	answers *shortlived.Map[givenKey, givenAnswer]
}

type givenKey struct {
	uid        types.UID
	generation int64
}

type givenAnswer struct {
	password takaro.Secret
	given    bool
}

func newGivenCache(reader givenReader, clock clock.WithDelayedExecution) *givenCache {
	return &givenCache{givenReader: reader, answers: shortlived.New[givenKey, givenAnswer](givenLife, clock)}
}

func (c *givenCache) read(ctx context.Context, user *v1alpha1.User) (takaro.Secret, bool, error) {
	key := givenKey{user.UID, user.Generation}
	if known, ok := c.answers.Get(key); ok {
		return known.password, known.given, nil
	}
	password, given, err := c.givenReader.read(ctx, user)
	if err == nil {
		c.answers.Set(key, givenAnswer{password, given})
	}
	return password, given, err
}

// credentialsReader reads the subresource users/credentials.
type credentialsReader struct {
	client versioned.Interface
}

func (c credentialsReader) read(ctx context.Context, user *v1alpha1.User) (takaro.Secret, bool, error) {
	answer := &v1alpha1.UserCredentials{}
	err := c.client.TakaroV1alpha1().RESTClient().Post().Namespace(user.Namespace).Resource("users").Name(user.Name).
		SubResource("credentials").Body(&v1alpha1.UserCredentials{}).Do(ctx).Into(answer)
	if apierrors.ReasonForError(err) == v1alpha1.StatusReasonNotGiven {
		return takaro.Secret{}, false, nil
	}
	if err != nil {
		return takaro.Secret{}, false, err
	}
	return takaro.NewSecret(answer.Password), true, nil
}
