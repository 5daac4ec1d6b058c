// SPDX-License-Identifier: Apache-2.0

package check

import (
	"testing"

	"roadstead.dev/roadstead/test/fakes/takaro"
)

func secret(name string, keys ...string) Secret {
	s := Secret{Namespace: "ns", Name: name, Data: map[string][]byte{}}
	for i := 0; i < len(keys); i += 2 {
		s.Data[keys[i]] = []byte(keys[i+1])
	}
	return s
}

func TestOverwritten(t *testing.T) {
	before := secret("a-root", "password", "p1")
	one(t, "", Once, Overwritten("password", secret("a-root"), before))
	one(t, "", Once, Overwritten("password", before, before))
	one(t, "", Once, Overwritten("password", before, secret("a-root", "password", "p2", "password.old", "p1")))
	one(t, `key "password" of Secret ns/a-root is lost; its keys are now ["password"]`, Once,
		Overwritten("password", before, secret("a-root", "password", "p2")))
}

func TestLogins(t *testing.T) {
	outside := Outside{Domains: []takaro.Domain{{ID: "1", RegistrationToken: "token"}}}
	domain := Object{Key: domainKey("a"), Ready: "True", DomainID: "1", LoginSecret: "a-root", TokenSecret: "a-token"}
	user := Object{Key: userKey("u"), Ready: "True", DomainID: "1", LoginSecret: "u-login"}
	root, token := secret("a-root", "username", "root", "password", "right"), secret("a-token", "token", "token")
	login := secret("u-login", "username", "u", "password", "right")
	change := func(o Object, how func(*Object)) Object { how(&o); return o }
	for name, c := range map[string]struct {
		object  Object
		secrets []Secret
		lost    bool
		want    string
	}{
		"Domain":    {domain, []Secret{root, token}, false, ""},
		"User":      {user, []Secret{login}, false, ""},
		"not Ready": {change(user, func(o *Object) { o.Ready = "False" }), nil, false, ""},
		"no Secret is named": {change(domain, func(o *Object) { o.LoginSecret = "" }), []Secret{token}, false,
			"names no Secret with a login"},
		"the run deleted the Secret": {change(domain, func(o *Object) { o.LoginSecret = "" }), []Secret{token}, true, ""},
		"adopted":                    {change(domain, func(o *Object) { o.LoginSecret, o.Adopt = "", true }), []Secret{token}, false, ""},
		"the Secret does not exist":  {user, nil, false, "Secret u-login of User ns/u holds no password"},
		"a wrong password":           {user, []Secret{secret("u-login", "username", "u", "password", "wrong")}, false, "refuses the login of u"},
		"another token":              {domain, []Secret{root, secret("a-token", "token", "other")}, false, "Secret a-token of Domain ns/a"},
	} {
		t.Run(name, func(t *testing.T) {
			accepts := func(_, password string) bool { return password == "right" }
			one(t, c.want, Login, Logins([]Object{c.object}, outside, c.secrets, accepts, func(Secret) bool { return c.lost }))
		})
	}
}

func TestStillInUse(t *testing.T) {
	used := Secret{Namespace: "ns", Name: "token", InUse: true}
	one(t, "", Left, StillInUse(nil, []Secret{{Namespace: "ns", Name: "token"}}))
	one(t, "", Left, StillInUse([]Object{{Key: domainKey("a"), Credentials: "token"}}, []Secret{used}))
	one(t, "Secret ns/token has the finalizer", Left, StillInUse(nil, []Secret{used}))
}
