// SPDX-License-Identifier: Apache-2.0

package user

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"roadstead.dev/roadstead/pkg/apis/takaro"
	"roadstead.dev/roadstead/pkg/apis/takaro/install"
	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/apis/writeonly"
	"roadstead.dev/roadstead/pkg/registry/generic"
)

func ann(change ...func(*takaro.User)) *takaro.User {
	user := &takaro.User{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "ann"}, Spec: takaro.UserSpec{Email: "Ann@Example.com",
		DomainRef: takaro.LocalObjectReference{Name: "arena"}}}
	for _, do := range change {
		do(user)
	}
	return user
}

func TestClaimKey(t *testing.T) {
	key := login(ann()).Key()
	assert.Equal(t, key, login(ann(func(u *takaro.User) { u.Name, u.Spec.Email = "other", "ANN@example.COM" })).Key(), "one identity")
	for name, change := range map[string]func(*takaro.User){
		"e-mail":    func(u *takaro.User) { u.Spec.Email = "bob@example.com" },
		"domain":    func(u *takaro.User) { u.Spec.DomainRef.Name = "other" },
		"namespace": func(u *takaro.User) { u.Namespace = "other" },
	} {
		assert.NotEqual(t, key, login(ann(change)).Key(), name)
	}
	assert.Empty(t, login(ann(func(u *takaro.User) { u.Spec.Email = "" })).Key())
	assert.Empty(t, login(ann(func(u *takaro.User) { u.Spec.DomainRef.Name = "" })).Key())
}

func strategy() generic.Strategy[*takaro.User] {
	scheme := runtime.NewScheme()
	install.Install(scheme)
	return generic.NewStrategy(newKind(scheme, "controller"))
}

func TestNameIsFilled(t *testing.T) {
	user := ann()
	strategy().PrepareForCreate(t.Context(), user)
	assert.Equal(t, "ann", user.Spec.Name)
	changed := ann(func(u *takaro.User) { u.Spec.Roles = []string{"Admin"} })
	user.Spec.Name = "chosen"
	strategy().PrepareForUpdate(t.Context(), changed, user)
	assert.Equal(t, "chosen", changed.Spec.Name, "an update that leaves it out keeps it")
	assert.Equal(t, user.Generation+1, changed.Generation)
}

func TestPasswordAndGeneration(t *testing.T) {
	given := func(text string) func(*takaro.User) {
		return func(u *takaro.User) { value := writeonly.String(text); u.Spec.Password = &value }
	}
	stored := ann(given("stored-one"))
	strategy().PrepareForCreate(t.Context(), stored)
	for name, c := range map[string]struct {
		change func(*takaro.User)
		want   string
		newer  bool
	}{
		"left out":   {func(*takaro.User) {}, "stored-one", false},
		"another":    {given("another-one"), "another-one", true},
		"other ways": {func(u *takaro.User) { u.Spec.PasswordSecretRef = &takaro.SecretKeyReference{Name: "s"} }, "", true},
	} {
		user := stored.DeepCopy()
		user.Spec.Password = nil
		c.change(user)
		strategy().PrepareForUpdate(t.Context(), user, stored)
		assert.Equal(t, c.newer, user.Generation > stored.Generation, "%s: the controller looks again when it changed", name)
		if c.want == "" {
			assert.Nil(t, user.Spec.Password, name)
		} else {
			assert.Equal(t, c.want, string(*user.Spec.Password), name)
		}
	}
}

func TestNotGiven(t *testing.T) {
	err := notGiven("ann")
	assert.True(t, apierrors.IsNotFound(&apierrors.StatusError{ErrStatus: metav1.Status{Reason: metav1.StatusReasonNotFound}}))
	assert.Equal(t, v1alpha1.StatusReasonNotGiven, apierrors.ReasonForError(err))
	var status *apierrors.StatusError
	require.ErrorAs(t, err, &status)
	assert.EqualValues(t, http.StatusNotFound, status.ErrStatus.Code)
}

func TestCredentialsTakeAnEmptyBodyOnly(t *testing.T) {
	for _, body := range []runtime.Object{&takaro.UserCredentials{Password: "guess"}, &takaro.User{}} {
		_, err := (&CredentialsREST{}).Create(t.Context(), "ann", body, nil, nil)
		assert.True(t, apierrors.IsBadRequest(err), "%v", err)
		assert.NotContains(t, err.Error(), "guess")
	}
}

func TestColumns(t *testing.T) {
	user := ann(func(u *takaro.User) {
		value := writeonly.String("hidden-one")
		u.Spec.Password, u.Status.Roles = &value, []string{"Admin", "Moderator"}
		u.Status.Conditions = []metav1.Condition{{Type: "Ready", Reason: "AsSpecified"}}
	})
	cells := map[string]any{}
	for _, column := range columns {
		cells[column.Name] = column.Cell(user)
		assert.NotEmpty(t, column.Description)
	}
	assert.Equal(t, "Ann@Example.com", cells["Email"])
	assert.Equal(t, "Admin,Moderator", cells["Roles"])
	assert.Equal(t, "AsSpecified", cells["Reason"])
	assert.NotContains(t, cells, "Password")
}
