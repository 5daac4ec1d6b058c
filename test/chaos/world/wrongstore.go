// SPDX-License-Identifier: Apache-2.0

package world

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.etcd.io/etcd/client/pkg/v3/transport"
	clientv3 "go.etcd.io/etcd/client/v3"
	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"roadstead.dev/roadstead/pkg/util/storeidentity"
	"roadstead.dev/roadstead/test/framework/cluster"
	"roadstead.dev/roadstead/test/framework/install"
)

const (
	// tickLimit is how long the servers may take to confirm a write: they do so every 15 seconds,
	// at checks 10 seconds apart, unless another fault prevents it.
	tickLimit = time.Minute
	// lead is the number of revisions by which a copy outgrows the store: more than the number of
	// writes during one fault.
	lead = 1000
	// objects is the prefix of the keys of all objects that clients write.
	objects = "/registry/roadstead.dev/takaro.roadstead.dev/"
)

// wrongStores are etcds that the clients of the store trust but that are not the store. Each runs
// from its first use until the end of the run.
type wrongStores struct {
	mu  sync.Mutex
	all map[string]wrongStore
}

type wrongStore struct {
	*cluster.Component
	// taken is the revision at the time of the copy.
	taken int64
}

// EmptyStore returns an empty etcd.
func (w *World) EmptyStore(ctx context.Context) (*cluster.Component, error) {
	empty, err := w.wrongStore(ctx, "empty", func() (*cluster.Component, error) { return w.Store.StartSingle(ctx, "empty") })
	return empty.Component, err
}

// OlderStore returns an etcd with a copy of the store that was taken at the first call. It waits
// until the servers have confirmed a later write, because the copy cannot be distinguished from the
// store before that. A copy that has outgrown the store is at a higher revision, and reports the
// deletion of every object to a watch that continues there.
func (w *World) OlderStore(ctx context.Context, outgrown bool) (*cluster.Component, error) {
	name := "older"
	if outgrown {
		name = "outgrown"
	}
	older, err := w.wrongStore(ctx, name, func() (*cluster.Component, error) {
		return w.Store.StartCopy(ctx, name, w.Store.Members()[0])
	})
	if err != nil {
		return nil, err
	}
	if err := w.awaitTick(ctx, older.taken); err != nil {
		return nil, err
	}
	if outgrown {
		err = w.outgrow(ctx, older)
	}
	return older.Component, err
}

func (w *World) wrongStore(ctx context.Context, name string, start func() (*cluster.Component, error)) (wrongStore, error) {
	w.wrong.mu.Lock()
	defer w.wrong.mu.Unlock()
	if known, ok := w.wrong.all[name]; ok {
		return known, nil
	}
	etcd, err := start()
	if err != nil {
		return wrongStore{}, err
	}
	taken, err := w.revision(ctx, "https://"+etcd.Address())
	if err != nil {
		return wrongStore{}, errors.Join(err, etcd.Stop())
	}
	if w.wrong.all == nil {
		w.wrong.all = map[string]wrongStore{}
	}
	w.wrong.all[name] = wrongStore{etcd, taken}
	return w.wrong.all[name], nil
}

// awaitTick waits until the cluster has recorded a tick of the store after a revision.
func (w *World) awaitTick(ctx context.Context, after int64) error {
	err := wait.PollUntilContextTimeout(ctx, 250*time.Millisecond, tickLimit, true, func(ctx context.Context) (bool, error) {
		source, err := w.Client.CoreV1().ConfigMaps(install.Namespace).Get(ctx, storeidentity.ConfigMapName, metav1.GetOptions{})
		if err != nil {
			return false, nil // kube-apiserver may be unavailable
		}
		record, err := storeidentity.Parse(source)
		return record != nil && record.Revision > after, err
	})
	if err != nil {
		return fmt.Errorf("await a tick of the store after revision %d: %w", after, err)
	}
	return nil
}

// outgrow raises the revision of a copy above that of the store by writes to keys that are not
// Roadstead's, and then deletes all objects in the copy.
func (w *World) outgrow(ctx context.Context, older wrongStore) error {
	right, err := w.revision(ctx, w.Store.URLs()...)
	if err != nil {
		return err
	}
	client, err := w.etcd("https://" + older.Address())
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	found, err := client.Get(ctx, objects, clientv3.WithPrefix(), clientv3.WithCountOnly())
	if err != nil {
		return fmt.Errorf("read the copy of the store: %w", err)
	}
	if err := grow(ctx, client, right+lead-found.Header.Revision); err != nil {
		return fmt.Errorf("raise the revision of the copy: %w", err)
	}
	if _, err := client.Delete(ctx, objects, clientv3.WithPrefix()); err != nil {
		return fmt.Errorf("delete the objects in the copy: %w", err)
	}
	return nil
}

// grow raises the revision by count.
func grow(ctx context.Context, client *clientv3.Client, count int64) error {
	const writers = 50
	group, ctx := errgroup.WithContext(ctx)
	for writer := range int64(writers) {
		group.Go(func() error {
			for n := writer; n < count; n += writers {
				if _, err := client.Put(ctx, fmt.Sprintf("/outgrown/%d", writer), ""); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// revision returns the current revision of an etcd.
func (w *World) revision(ctx context.Context, urls ...string) (int64, error) {
	client, err := w.etcd(urls...)
	if err != nil {
		return 0, err
	}
	defer func() { _ = client.Close() }()
	ctx, cancel := context.WithTimeout(ctx, requestLimit)
	defer cancel()
	answer, err := client.Get(ctx, "any", clientv3.WithCountOnly())
	if err != nil {
		return 0, fmt.Errorf("read the revision of etcd: %w", err)
	}
	return answer.Header.Revision, nil
}

// etcd returns a client with a direct connection to an etcd.
func (w *World) etcd(urls ...string) (*clientv3.Client, error) {
	ca, cert, key := w.Store.ClientFiles()
	tls, err := transport.TLSInfo{TrustedCAFile: ca, CertFile: cert, KeyFile: key}.ClientConfig()
	if err != nil {
		return nil, err
	}
	return clientv3.New(clientv3.Config{Endpoints: urls, TLS: tls, DialTimeout: requestLimit})
}

// Mislead redirects API servers to another etcd from now on. The returned function reverts this.
func (w *World) Mislead(servers []*Kept, to *cluster.Component) (back func()) {
	redirect := func(target func(member *cluster.Component) string) {
		for _, server := range servers {
			for _, member := range w.Store.Members() {
				w.mu.Lock()
				link := w.links[storeLink(server.Name(), member)]
				w.mu.Unlock()
				// An upgrade may have replaced the server.
				if link != nil {
					link.Redirect(target(member))
				}
			}
		}
	}
	redirect(func(*cluster.Component) string { return to.Address() })
	return func() { redirect((*cluster.Component).Address) }
}
