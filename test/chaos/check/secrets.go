// SPDX-License-Identifier: Apache-2.0

package check

import (
	"bytes"
	"maps"
	"slices"

	"roadstead.dev/roadstead/test/chaos/history"
)

// Secret contains the data of a Secret that the checks need.
type Secret struct {
	Namespace, Name string
	Data            map[string][]byte
	// InUse reports whether the finalizer is set that protects a Secret while it is in use.
	InUse bool
}

func (s Secret) at() string { return s.Namespace + "/" + s.Name }

// Overwritten compares two states of a Secret with a value that is issued only once. The later
// state must still contain the value, under the same key or another one.
func Overwritten(key string, before, after Secret) []Violation {
	former := before.Data[key]
	if len(former) == 0 {
		return nil
	}
	for _, value := range after.Data {
		if bytes.Equal(value, former) {
			return nil
		}
	}
	return []Violation{breach(Once, "the former value of key %q of Secret %s is lost; its keys are now %q", key, after.at(),
		slices.Sorted(maps.Keys(after.Data)))}
}

// Logins returns violations for Ready objects whose Secrets do not contain valid credentials. The
// function accepts reports whether Takaro accepts a login, and lost whether the run itself deleted
// a Secret.
func Logins(
	final []Object, outside Outside, secrets []Secret, accepts func(email, password string) bool, lost func(Secret) bool,
) []Violation {
	stored := map[history.Key]Secret{}
	for _, secret := range secrets {
		stored[history.Key{Namespace: secret.Namespace, Name: secret.Name}] = secret
	}
	secretOf := func(o Object, name string) Secret { return stored[history.Key{Namespace: o.Key.Namespace, Name: name}] }
	var found []Violation
	for _, object := range final {
		if !object.IsReady() || object.Key.Kind == MockServer {
			continue
		}
		login := secretOf(object, object.LoginSecret)
		email, password := string(login.Data["username"]), string(login.Data["password"])
		switch {
		case object.LoginSecret == "" && object.Key.Kind == Domain &&
			(object.Adopt || lost(Secret{Namespace: object.Key.Namespace, Name: object.Key.Name + RootSuffix})):
		case object.LoginSecret == "":
			found = append(found, breach(Login, "%s is Ready and names no Secret with a login", object.Key))
		case password == "":
			found = append(found, breach(Login, "Secret %s of %s holds no password", object.LoginSecret, object.Key))
		case !accepts(email, password):
			found = append(found, breach(Login, "Takaro refuses the login of %s in Secret %s of %s", email, object.LoginSecret, object.Key))
		}
		domain := find(outside.Domains, object.DomainID)
		if object.Key.Kind == Domain && domain != nil {
			if token := string(secretOf(object, object.TokenSecret).Data["token"]); token != domain.RegistrationToken {
				found = append(found, breach(Login, "Secret %s of %s does not hold the registration token of Takaro domain %s",
					object.TokenSecret, object.Key, domain.ID))
			}
		}
	}
	return found
}

// RootSuffix is the suffix of the name of the Secret with the root login of a Domain.
const RootSuffix = "-root"

// StillInUse returns violations for Secrets that are protected although nothing uses them.
func StillInUse(final []Object, secrets []Secret) []Violation {
	used := map[history.Key]bool{}
	for _, object := range final {
		used[history.Key{Namespace: object.Key.Namespace, Name: object.Credentials}] = true
	}
	var found []Violation
	for _, secret := range secrets {
		if secret.InUse && !used[history.Key{Namespace: secret.Namespace, Name: secret.Name}] {
			found = append(found, breach(Left, "Secret %s has the finalizer of a Secret in use, and nothing uses it", secret.at()))
		}
	}
	return found
}
