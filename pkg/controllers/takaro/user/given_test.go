// SPDX-License-Identifier: Apache-2.0

package user

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// countedReader is a givenReader that counts requests.
type countedReader struct {
	password string
	err      error
	requests int
}

func (c *countedReader) read(context.Context, *v1alpha1.User) (takaro.Secret, bool, error) {
	c.requests++
	return takaro.NewSecret(c.password), c.password != "", c.err
}

func TestGivenCache(t *testing.T) {
	refused := errors.New("forbidden")
	edited := func(u *v1alpha1.User, _ *clocktesting.FakeClock) { u.Generation++ }
	replaced := func(u *v1alpha1.User, _ *clocktesting.FakeClock) { u.UID = "other" }
	after := func(age time.Duration) func(*v1alpha1.User, *clocktesting.FakeClock) {
		return func(_ *v1alpha1.User, c *clocktesting.FakeClock) { c.Step(age) }
	}
	for name, c := range map[string]struct {
		first, second countedReader
		// between is called between two reads.
		between func(*v1alpha1.User, *clocktesting.FakeClock)
		// password is the result of the second read.
		password string
		err      error
		requests int
	}{
		"given":             {countedReader{password: "one"}, countedReader{password: "one"}, nil, "one", nil, 1},
		"not given":         {countedReader{}, countedReader{}, nil, "", nil, 1},
		"spec changed":      {countedReader{password: "one"}, countedReader{password: "two"}, edited, "two", nil, 2},
		"given later":       {countedReader{}, countedReader{password: "two"}, edited, "two", nil, 2},
		"another User":      {countedReader{password: "one"}, countedReader{password: "two"}, replaced, "two", nil, 2},
		"life not over":     {countedReader{password: "one"}, countedReader{password: "one"}, after(givenLife - 1), "one", nil, 1},
		"life over":         {countedReader{password: "one"}, countedReader{password: "one"}, after(givenLife), "one", nil, 2},
		"refused meanwhile": {countedReader{password: "one"}, countedReader{err: refused}, after(givenLife), "", refused, 2},
		"refused before":    {countedReader{err: refused}, countedReader{password: "one"}, nil, "one", nil, 2},
	} {
		t.Run(name, func(t *testing.T) {
			clock := clocktesting.NewFakeClock(time.Now())
			reader := c.first
			cache := newGivenCache(&reader, clock)
			user := &v1alpha1.User{ObjectMeta: metav1.ObjectMeta{UID: "user", Generation: 1}}
			_, _, err := cache.read(t.Context(), user)
			require.ErrorIs(t, err, c.first.err)
			if c.between != nil {
				c.between(user, clock)
			}
			reader.password, reader.err = c.second.password, c.second.err
			password, given, err := cache.read(t.Context(), user)
			require.ErrorIs(t, err, c.err)
			assert.Equal(t, c.password, password.Reveal())
			assert.Equal(t, c.password != "", given)
			assert.Equal(t, c.requests, reader.requests)
			clock.Step(givenLife)
			assert.Zero(t, cache.answers.Len(), "no password stays in memory")
		})
	}
}
