// SPDX-License-Identifier: Apache-2.0

package outside

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"roadstead.dev/roadstead/pkg/controllers/takaro/domain"
	"roadstead.dev/roadstead/pkg/engine/anchor"
	"roadstead.dev/roadstead/pkg/engine/netguard"
	engine "roadstead.dev/roadstead/pkg/engine/takaro"
	"roadstead.dev/roadstead/test/fakes/takaro"
)

// Row is a domain in Takaro, with the names of its game servers and the e-mails of its users.
type Row struct {
	ID, Name, State string
	Servers, Users  []string
}

// Takaro is the stand-in, or a real Takaro.
type Takaro interface {
	URL() string
	// ConnectorURL returns "" if Roadstead derives it from the URL.
	ConnectorURL() string
	AdminToken() string
	// Rows returns the domains that this cluster created, without the anchor.
	Rows(context.Context) ([]Row, error)
	// Anchored reports whether the domain by which this cluster recognizes its Takaro exists.
	Anchored(context.Context) (bool, error)
	// Login returns nil if the e-mail and the password of a user are valid.
	Login(ctx context.Context, email, password string) error
	// Look describes how to inspect the content of Takaro.
	Look() string
}

// standIn is a stand-in that only this process uses.
type standIn struct {
	*takaro.Server
}

func (s standIn) Rows(context.Context) ([]Row, error) {
	var found []Row
	for _, d := range s.Domains() {
		r := Row{ID: d.ID, Name: d.Name, State: d.State}
		for _, server := range d.GameServers {
			r.Servers = append(r.Servers, server.Name)
		}
		for _, user := range d.Users {
			r.Users = append(r.Users, user.Email)
		}
		found = append(found, r)
	}
	return found, nil
}

func (s standIn) Anchored(context.Context) (bool, error) { return len(s.Anchors()) > 0, nil }

func (s standIn) Login(_ context.Context, email, password string) error {
	if !s.PasswordIs(email, password) {
		return errors.New("the stand-in for Takaro refuses the login")
	}
	return nil
}

func (s standIn) Look() string {
	return "What Takaro has: curl -s $TAKARO/__control/domains (only the stand-in has this path)"
}

// realTakaro is a Takaro that others may use too. Only domains of this cluster's installation are
// read.
type realTakaro struct {
	url, connector, token string
	client                *engine.Client
	installation          string
}

// newRealTakaro connects to a Takaro. The UID kubeSystem identifies the cluster's installation.
func newRealTakaro(url, connector, token string, kubeSystem types.UID) (*realTakaro, error) {
	pool := engine.NewPool(engine.Options{Dial: netguard.Policy{AllowPrivate: true, AllowLoopback: true}})
	client, err := pool.Client(engine.Endpoint{URL: url, AdminToken: engine.NewSecret(token)})
	if err != nil {
		return nil, fmt.Errorf("TAKARO_HOST: %w", err)
	}
	return &realTakaro{
		url: url, connector: connector, token: token, client: client,
		installation: domain.InstallationFor(kubeSystem),
	}, nil
}

func (r *realTakaro) URL() string          { return r.url }
func (r *realTakaro) ConnectorURL() string { return r.connector }
func (r *realTakaro) AdminToken() string   { return r.token }

func (r *realTakaro) Look() string {
	return "Takaro: " + r.url + ". Delete the environment before Ctrl-C, or its domain stays in Takaro."
}

func (r *realTakaro) Login(ctx context.Context, email, password string) error {
	return r.client.Login(ctx, email, engine.NewSecret(password))
}

func (r *realTakaro) Anchored(ctx context.Context) (bool, error) {
	found, err := r.client.FindDomainByReference(ctx, anchor.Reference(r.installation))
	return found != nil, err
}

func (r *realTakaro) Rows(ctx context.Context) ([]Row, error) {
	domains, err := r.client.SearchDomains(ctx, engine.DomainSearch{})
	if err != nil {
		return nil, err
	}
	var found []Row
	for _, d := range domains {
		if d.ExternalReference == nil || !strings.HasPrefix(*d.ExternalReference, "roadstead:"+r.installation+":") {
			continue
		}
		one := Row{ID: d.ID, Name: d.Name, State: string(d.State)}
		users, err := r.client.SearchUsers(ctx, d.ID)
		if err != nil {
			return nil, err
		}
		for _, user := range users {
			one.Users = append(one.Users, user.Email)
		}
		if d.State == engine.StateActive {
			servers, err := r.client.SearchGameServers(ctx, d.ID)
			if err != nil {
				return nil, err
			}
			for _, server := range servers {
				one.Servers = append(one.Servers, server.Name)
			}
		}
		found = append(found, one)
	}
	return found, nil
}
