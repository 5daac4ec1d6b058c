// SPDX-License-Identifier: Apache-2.0

package check

import (
	"bytes"
	"maps"
	"slices"

	"roadstead.dev/roadstead/test/chaos/history"
)

// Secret is what the checks need of a Secret.
type Secret struct {
	Namespace, Name string
	Data            map[string][]byte
	// InUse reports that the finalizer which keeps a Secret while it is in use is set.
	InUse bool
}

func (s Secret) at() string { return s.Namespace + "/" + s.Name }

// Overwritten compares two states of a Secret with a value that is issued only once: under the key
// of the former value, or another one, the later state must still hold it.
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

// Logins lists the Ready objects whose Secrets do not contain what works. accepts reports whether
// Takaro accepts a login; lost reports whether the run itself deleted a Secret.
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

// RootSuffix ends the name of the Secret with the root login of a Domain.
const RootSuffix = "-root"

// StillInUse lists the Secrets that are kept though nothing uses them.
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
