// SPDX-License-Identifier: Apache-2.0

package generic

import (
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro"
	"roadstead.dev/roadstead/pkg/apis/writeonly"
)

var passwordField = WriteOnlyField[*takaro.User]{
	Path:       []string{"spec", "password"},
	Value:      func(u *takaro.User) **writeonly.String { return &u.Spec.Password },
	Superseded: func(u *takaro.User) bool { return u.Spec.PasswordSecretRef != nil },
}

func withPassword(text string) *takaro.User {
	user := &takaro.User{}
	if text != "" {
		value := writeonly.String(text)
		user.Spec.Password = &value
	}
	return user
}

func TestKeep(t *testing.T) {
	elsewhere := func(user *takaro.User) *takaro.User {
		user.Spec.PasswordSecretRef = &takaro.SecretKeyReference{Name: "s"}
		return user
	}
	for name, c := range map[string]struct {
		now, stored *takaro.User
		want        string
	}{
		"left out":             {withPassword(""), withPassword("old-one"), "old-one"},
		"changed":              {withPassword("new-one"), withPassword("old-one"), "new-one"},
		"first":                {withPassword("new-one"), withPassword(""), "new-one"},
		"never":                {withPassword(""), withPassword(""), ""},
		"another source":       {elsewhere(withPassword("")), withPassword("old-one"), ""},
		"both, to be refused":  {elsewhere(withPassword("new-one")), withPassword("old-one"), "new-one"},
		"another source stays": {elsewhere(withPassword("")), elsewhere(withPassword("")), ""},
	} {
		passwordField.keep(c.now, c.stored)
		if c.want == "" {
			assert.Nil(t, c.now.Spec.Password, name)
		} else if assert.NotNil(t, c.now.Spec.Password, name) {
			assert.Equal(t, c.want, string(*c.now.Spec.Password), name)
		}
	}
}

func TestScrub(t *testing.T) {
	user := &takaro.User{ObjectMeta: metav1.ObjectMeta{
		Annotations: map[string]string{corev1.LastAppliedConfigAnnotation: `{"spec":{"password":"x"}}`},
	}}
	passwordField.scrub(user)
	assert.Equal(t, "{\"spec\":{}}\n", user.Annotations[corev1.LastAppliedConfigAnnotation])
	bare := &takaro.User{}
	passwordField.scrub(bare)
	assert.Nil(t, bare.Annotations)
}
