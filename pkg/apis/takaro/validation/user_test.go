// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro"
	"roadstead.dev/roadstead/pkg/apis/writeonly"
)

func TestValidateUserByHand(t *testing.T) {
	password := func(text string) func(*takaro.User) {
		return func(u *takaro.User) { value := writeonly.String(text); u.Spec.Password = &value }
	}
	for name, c := range map[string]struct {
		change func(*takaro.User)
		field  string
	}{
		"good":                   {func(*takaro.User) {}, ""},
		"name of the object":     {func(u *takaro.User) { u.Name = strings.Repeat("a", MaxNameLength+1) }, "metadata.name"},
		"longest name":           {func(u *takaro.User) { u.Name = strings.Repeat("a", MaxNameLength) }, ""},
		"no address":             {func(u *takaro.User) { u.Spec.Email = "nobody" }, "spec.email"},
		"an address with a name": {func(u *takaro.User) { u.Spec.Email = "Ann <ann@example.com>" }, "spec.email"},
		"two addresses":          {func(u *takaro.User) { u.Spec.Email = "a@b.de, c@d.de" }, "spec.email"},
		"short role":             {func(u *takaro.User) { u.Spec.Roles = []string{"Admin", "ab"} }, "spec.roles[1]"},
		"long role":              {func(u *takaro.User) { u.Spec.Roles = []string{strings.Repeat("x", 21)} }, "spec.roles[0]"},
		"role of 20 characters":  {func(u *takaro.User) { u.Spec.Roles = []string{strings.Repeat("ä", 20)} }, ""},
		"system role User":       {func(u *takaro.User) { u.Spec.Roles = []string{"User"} }, "spec.roles[0]"},
		"system role Player":     {func(u *takaro.User) { u.Spec.Roles = []string{"Player"} }, "spec.roles[0]"},
		"role root":              {func(u *takaro.User) { u.Spec.Roles = []string{"root"} }, ""},
		"shortest password":      {password("12345678"), ""},
		"longest password":       {password(strings.Repeat("ß", 50)), ""},
		"short password":         {password("hush-77"), "spec.password"},
		"long password":          {password(strings.Repeat("hush-77", 8)), "spec.password"},
		"empty password":         {password(""), "spec.password"},
		"two sources": {func(u *takaro.User) {
			password("12345678")(u)
			u.Spec.PasswordSecretRef = &takaro.SecretKeyReference{Name: "s", Key: "k"}
		}, "spec.password"},
		"a Secret": {func(u *takaro.User) { u.Spec.PasswordSecretRef = &takaro.SecretKeyReference{Name: "s", Key: "k"} }, ""},
		"a key that no Secret has": {func(u *takaro.User) { u.Spec.PasswordSecretRef = &takaro.SecretKeyReference{Name: "s", Key: "a b"} },
			"spec.passwordSecretRef.key"},
	} {
		user := &takaro.User{ObjectMeta: metav1.ObjectMeta{Name: "ann"}, Spec: takaro.UserSpec{Name: "ann", Email: "ann@example.com",
			DomainRef: takaro.LocalObjectReference{Name: "arena"}}}
		old := user.DeepCopy()
		c.change(user)
		errs := ValidateUser(user)
		if c.field == "" {
			assert.Empty(t, errs, name)
			assert.Empty(t, ValidateUserUpdate(user, old), "what a create takes, an update takes: "+name)
			continue
		}
		require.Len(t, errs, 1, name)
		assert.Equal(t, c.field, errs[0].Field, name)
		assert.NotContains(t, errs[0].Error(), "hush-77", name)
		assert.LessOrEqual(t, len(errs[0].Detail), 200, name)
	}
}

func TestValidateUserUpdate_Adopt(t *testing.T) {
	old := &takaro.User{ObjectMeta: metav1.ObjectMeta{Name: "ann"}, Spec: takaro.UserSpec{
		Name: "ann", Email: "ann@example.com", DomainRef: takaro.LocalObjectReference{Name: "arena"},
		DeletionPolicy: takaro.UserDeletionPolicyDelete,
	}}
	adopting := old.DeepCopy()
	adopting.Spec.Adopt = true
	requireErrors(t, []string{"spec.deletionPolicy: must be Retain in the change that turns on spec.adopt"}, ValidateUserUpdate(adopting, old))
	retaining := adopting.DeepCopy()
	retaining.Spec.DeletionPolicy = takaro.UserDeletionPolicyRetain
	require.Empty(t, ValidateUserUpdate(retaining, old))
	require.Empty(t, ValidateUserUpdate(adopting, retaining), "it may be changed afterwards")
	require.Empty(t, ValidateUser(adopting), "a create may say both")
}
