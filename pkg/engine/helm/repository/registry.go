// SPDX-License-Identifier: Apache-2.0

package repository

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
)

// session is used for the requests of one operation after a login to a registry.
type session struct {
	client *Client
	guard  *guard
	http   *http.Client
	// base is the URL of the chart's repository in the registry's API.
	base *url.URL
}

// open logs in to a registry, and requests a token if the registry requires one. Of go-containerregistry only this part is
// used, because its reads and retries are not limited.
func (c *Client) open(ctx context.Context, repository Repository, at *url.URL, chart string) (*session, error) {
	registry, err := name.NewRegistry(at.Host, name.StrictValidation)
	if err != nil || registry.RegistryStr() != at.Host {
		return nil, &Error{Kind: KindInvalid,
			Message: fmt.Sprintf("%q is not a valid registry host; use the host that serves the registry, such as registry-1.docker.io", at.Host)}
	}
	path := at.JoinPath(chart).Path[1:]
	repo, err := name.NewRepository(at.Host+"/"+path, name.StrictValidation, name.WithDefaultRegistry(at.Host))
	if err != nil {
		return nil, &Error{Kind: KindInvalid,
			Message: fmt.Sprintf("%q is not a valid repository of a registry: only lower case letters, digits and ._-/ are allowed", path)}
	}
	g := c.guarded(at, repository.Credentials)
	ctx, cancel := context.WithTimeoutCause(ctx, c.options.Timeout, errTimeout)
	defer cancel()
	through, err := transport.NewWithContext(ctx, registry, authenticator(repository.Credentials), limited{g},
		[]string{repo.Scope(transport.PullScope)})
	if err != nil {
		return nil, c.loginError(ctx, g, err)
	}
	return &session{
		client: c, guard: g, http: over(through),
		base: &url.URL{Scheme: schemeHTTPS, Host: at.Host, Path: "/v2/" + path + "/"},
	}, nil
}

func authenticator(credentials Credentials) authn.Authenticator {
	if credentials.Empty() {
		return authn.Anonymous
	}
	return &authn.Basic{Username: credentials.username, Password: credentials.password}
}

// loginError returns the error for a failed login.
func (c *Client) loginError(ctx context.Context, g *guard, err error) error {
	const doing = "logging in to the registry"
	if answered, ok := errors.AsType[*transport.Error](err); ok {
		code := ""
		if len(answered.Errors) > 0 {
			code = known(string(answered.Errors[0].Code))
		}
		return g.explain(c.statusError(doing, MissingRepository, &http.Response{StatusCode: answered.StatusCode, Header: http.Header{}}, code))
	}
	// For local addresses, go-containerregistry also tries without TLS, and its error is about both attempts.
	if failed := g.failure(); failed != nil {
		return transportError(ctx, doing, failed)
	}
	if _, ok := errors.AsType[*url.Error](err); ok || ctx.Err() != nil {
		return transportError(ctx, doing, err)
	}
	// The text contains the response of the token service.
	return &Error{Kind: KindInvalid, Message: doing + ": the registry names no usable token service, or the service returned no token"}
}

// explain adds the reason why valid credentials may not have been sufficient.
func (g *guard) explain(err error) error {
	found, ok := errors.AsType[*Error](err)
	if host := g.withheldFrom(); ok && host != "" && found.Kind == KindUnauthorized {
		found.Message += fmt.Sprintf("; the token service is at %s, but credentials are sent only to the repository's host", host)
	}
	return err
}

func (s *session) get(ctx context.Context, path string, asking getting) (*answer, error) {
	asking.http = s.http
	if asking.url == "" {
		asking.url = s.base.JoinPath(path).String()
	}
	got, err := s.client.get(ctx, asking)
	if err != nil {
		return nil, s.guard.explain(err)
	}
	return got, nil
}
