// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"roadstead.dev/roadstead/pkg/controllers/takaro/domain"
	"roadstead.dev/roadstead/pkg/netguard"
	engine "roadstead.dev/roadstead/pkg/takaro"
	"roadstead.dev/roadstead/test/fakes/takaro"
)

// row is a domain of this demo as Takaro sees it.
type row struct {
	id, name, state string
	servers, users  []string
}

// takaroSide is the Takaro of the demo: the stand-in, or a real one.
type takaroSide interface {
	URL() string
	// ConnectorURL is "" where Roadstead derives it from the URL.
	ConnectorURL() string
	AdminToken() string
	// rows are the domains that this demo made.
	rows(context.Context) ([]row, error)
}

// standIn is a stand-in that only this demo uses.
type standIn struct {
	*takaro.Server
}

func (s standIn) rows(context.Context) ([]row, error) {
	var found []row
	for _, d := range s.Domains() {
		r := row{id: d.ID, name: d.Name, state: d.State}
		for _, server := range d.GameServers {
			r.servers = append(r.servers, server.Name)
		}
		for _, user := range d.Users {
			r.users = append(r.users, user.Email)
		}
		found = append(found, r)
	}
	return found, nil
}

// realTakaro is one that others may use too: only domains of this demo's installation are looked at.
type realTakaro struct {
	url, connector, token string
	client                *engine.Client
	prefix                string
}

// newRealTakaro connects to a Takaro; kubeSystem is the UID by which the demo's installation is named.
func newRealTakaro(url, connector, token string, kubeSystem types.UID) (*realTakaro, error) {
	pool := engine.NewPool(engine.Options{Dial: netguard.Policy{AllowPrivate: true, AllowLoopback: true}})
	client, err := pool.Client(engine.Endpoint{URL: url, AdminToken: engine.NewSecret(token)})
	if err != nil {
		return nil, fmt.Errorf("TAKARO_HOST: %w", err)
	}
	return &realTakaro{
		url: url, connector: connector, token: token, client: client,
		prefix: "roadstead:" + domain.InstallationFor(kubeSystem) + ":",
	}, nil
}

func (r *realTakaro) URL() string          { return r.url }
func (r *realTakaro) ConnectorURL() string { return r.connector }
func (r *realTakaro) AdminToken() string   { return r.token }

func (r *realTakaro) rows(ctx context.Context) ([]row, error) {
	domains, err := r.client.SearchDomains(ctx, engine.DomainSearch{})
	if err != nil {
		return nil, err
	}
	var found []row
	for _, d := range domains {
		if d.ExternalReference == nil || !strings.HasPrefix(*d.ExternalReference, r.prefix) {
			continue
		}
		one := row{id: d.ID, name: d.Name, state: string(d.State)}
		users, err := r.client.SearchUsers(ctx, d.ID)
		if err != nil {
			return nil, err
		}
		for _, user := range users {
			one.users = append(one.users, user.Email)
		}
		if d.State == engine.StateActive {
			servers, err := r.client.SearchGameServers(ctx, d.ID)
			if err != nil {
				return nil, err
			}
			for _, server := range servers {
				one.servers = append(one.servers, server.Name)
			}
		}
		found = append(found, one)
	}
	return found, nil
}
