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

// link gives the way from one to another, which it makes at first.
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

// Links are the ways between all pairs, by name.
func (w *World) Links() []*wire.Link {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []*wire.Link
	for _, name := range slices.Sorted(maps.Keys(w.links)) {
		all = append(all, w.links[name])
	}
	return all
}

// retire removes the ways from and to a program that is gone for good.
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

// through gives the URL that leads to another one by a link.
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

// storeArgs lead the n-th API server to etcd.
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

// storeLink is the name of the link from an API server to a member of the store.
func storeLink(server string, member *cluster.Component) string {
	return server + " to " + member.Name()
}

// serverName is how test/framework/install names the n-th API server.
func serverName(n int) string {
	if n == 0 {
		return install.APIServer
	}
	return fmt.Sprintf("%s-%d", install.APIServer, n+1)
}

// hostFor is the way of a program to kube-apiserver.
func (w *World) hostFor(program string) string {
	link, err := w.link(program+" to kube-apiserver", w.Host.Addr())
	if err != nil {
		w.Logf("no link for %s: %v", program, err)
		return w.Host.Addr()
	}
	return link.Address()
}

// front is the Service before the API servers, each reached by a link.
type front struct{ w *World }

// Port is that of the Service.
func (f front) Port() string { return f.w.service.Port() }

// Add tells of an API server that is about to start. They come one after the other, in the order of their numbers.
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
