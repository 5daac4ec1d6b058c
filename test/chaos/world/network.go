// SPDX-License-Identifier: Apache-2.0

package world

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"roadstead.dev/roadstead/test/chaos/wire"
	"roadstead.dev/roadstead/test/framework/cluster"
	"roadstead.dev/roadstead/test/framework/install"
)

// link returns the link with a name and creates it on first use.
func (w *World) link(name, target string) (*wire.Link, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if known := w.links[name]; known != nil {
		return known, nil
	}
	made, err := wire.Start(name, target)
	if err == nil {
		w.links[name] = made
	}
	return made, err
}

// Links returns all links, sorted by name.
func (w *World) Links() []*wire.Link {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []*wire.Link
	for _, name := range slices.Sorted(maps.Keys(w.links)) {
		all = append(all, w.links[name])
	}
	return all
}

// retire removes the links from and to a program that was removed permanently.
func (w *World) retire(program string) error {
	var errs []error
	for _, link := range w.Links() {
		from, to, _ := strings.Cut(link.Name(), " to ")
		if from != program && to != program {
			continue
		}
		errs = append(errs, link.Stop())
		w.mu.Lock()
		delete(w.links, link.Name())
		w.mu.Unlock()
	}
	return errors.Join(errs...)
}

func (w *World) stopLinks() error {
	var errs []error
	for _, link := range w.Links() {
		errs = append(errs, link.Stop())
	}
	return errors.Join(errs...)
}

// through returns a URL that leads to target through a link.
func (w *World) through(name, target string) (string, error) {
	parsed, err := url.Parse(target)
	if err != nil {
		return "", err
	}
	link, err := w.link(name, parsed.Host)
	if err != nil {
		return "", err
	}
	parsed.Host = link.Address()
	return parsed.String(), nil
}

// storeArgs returns the arguments of the n-th API server for etcd.
func (w *World) storeArgs(n int) ([]string, error) {
	var urls []string
	for _, member := range w.Store.Members() {
		address, err := w.through(storeLink(serverName(n), member), "https://"+member.Address())
		if err != nil {
			return nil, err
		}
		urls = append(urls, address)
	}
	return []string{"--etcd-servers=" + strings.Join(urls, ",")}, nil
}

// storeLink returns the name of the link from an API server to a member of the store.
func storeLink(server string, member *cluster.Component) string {
	return server + " to " + member.Name()
}

// serverName returns the name of the n-th API server in test/framework/install.
func serverName(n int) string {
	if n == 0 {
		return install.APIServer
	}
	return fmt.Sprintf("%s-%d", install.APIServer, n+1)
}

// hostFor returns the address of the link from a program to kube-apiserver.
func (w *World) hostFor(program string) string {
	link, err := w.link(program+" to kube-apiserver", w.Host.Addr())
	if err != nil {
		w.Logf("no link for %s: %v", program, err)
		return w.Host.Addr()
	}
	return link.Address()
}

// front is the Service of the API servers, each of which is reached through a link.
type front struct{ w *World }

// Port returns the port of the Service.
func (f front) Port() string { return f.w.service.Port() }

// Add adds an API server that is about to start. Servers are added in the order of their numbers.
func (f front) Add(address string) {
	f.w.mu.Lock()
	name := serverName(f.w.fronted)
	f.w.fronted++
	f.w.mu.Unlock()
	link, err := f.w.link("kube-apiserver to "+name, address)
	if err != nil {
		f.w.Logf("no link to %s: %v", name, err)
		return
	}
	f.w.service.Add(link.Address())
}
