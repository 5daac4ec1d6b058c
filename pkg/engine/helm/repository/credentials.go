// SPDX-License-Identifier: Apache-2.0

package repository

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// Credentials are a user name and a password. They are never shown, regardless of how they are printed.
type Credentials struct {
	username, password string
}

// BasicAuth returns the credentials of a Secret of type kubernetes.io/basic-auth.
func BasicAuth(username, password string) Credentials {
	return Credentials{username: username, password: password}
}

// Empty reports whether there are no credentials.
func (c Credentials) Empty() bool { return c.username == "" && c.password == "" }

const redacted = "[redacted]"

// String hides them.
func (Credentials) String() string { return redacted }

// GoString hides them from %#v.
func (Credentials) GoString() string { return redacted }

// MarshalLog hides them from structured logs.
func (Credentials) MarshalLog() any { return redacted }

// MarshalJSON hides them.
func (Credentials) MarshalJSON() ([]byte, error) { return json.Marshal(redacted) }

var errNoDockerConfig = errors.New("must be JSON of the form {\"auths\": {\"<host>\": {\"username\": …, \"password\": …}}}")

// hubHosts are names of the same registry: the first one serves the charts, and "docker login" writes the last one.
var hubHosts = []string{"registry-1.docker.io", "docker.io", "index.docker.io"}

// FromDockerConfig returns the credentials for a repository from the content of a Secret of type
// kubernetes.io/dockerconfigjson: those for its host and port, with the longest matching path. It returns an error with the
// host if there are none. Errors contain nothing of the content.
func FromDockerConfig(config []byte, repositoryURL string) (Credentials, error) {
	target, err := Repository{URL: repositoryURL}.parse()
	if err != nil {
		return Credentials{}, err
	}
	var file struct {
		Auths map[string]dockerAuth `json:"auths"`
	}
	if json.Unmarshal(config, &file) != nil || file.Auths == nil {
		return Credentials{}, errNoDockerConfig
	}
	best, found := -1, dockerAuth{}
	for key, auth := range file.Auths {
		if length := matches(key, target); length > best {
			best, found = length, auth
		}
	}
	if best < 0 {
		return Credentials{}, fmt.Errorf("auths has no entry for %s", target.Host)
	}
	credentials, err := found.credentials()
	if err != nil {
		return Credentials{}, fmt.Errorf("entry for %s %w", target.Host, err)
	}
	return credentials, nil
}

// matches returns the length of the path of a key that matches the target, or -1.
func matches(key string, target *url.URL) int {
	if !strings.Contains(key, "://") {
		key = schemeHTTPS + "://" + key
	}
	parsed, err := url.Parse(key)
	if err != nil || authority(hub(parsed)) != authority(hub(target)) {
		return -1
	}
	path := strings.TrimRight(parsed.Path, "/") + "/"
	if hub(parsed) != parsed || path == "/v1/" || path == "/v2/" {
		path = "/" // the path is the version of the registry's API
	}
	if !strings.HasPrefix(target.Path, path) {
		return -1
	}
	return len(path)
}

// hub returns the URL with the canonical host of Docker Hub, or the URL itself.
func hub(of *url.URL) *url.URL {
	for _, name := range hubHosts[1:] {
		if strings.EqualFold(of.Host, name) {
			return &url.URL{Scheme: of.Scheme, Host: hubHosts[0], Path: of.Path}
		}
	}
	return of
}

type dockerAuth struct {
	Username string `json:"username"`
	Password string `json:"password"`
	Auth     string `json:"auth"` // base64 of username:password
}

func (a dockerAuth) credentials() (Credentials, error) {
	if a.Username != "" || a.Password != "" {
		return BasicAuth(a.Username, a.Password), nil
	}
	decoded, err := base64.StdEncoding.DecodeString(a.Auth)
	username, password, ok := strings.Cut(string(decoded), ":")
	if err != nil || !ok {
		return Credentials{}, errors.New("has neither username and password nor an auth that is base64 of both with a colon")
	}
	return BasicAuth(username, password), nil
}
