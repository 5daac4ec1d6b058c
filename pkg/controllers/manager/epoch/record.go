// SPDX-License-Identifier: Apache-2.0

// Package epoch binds a controller process to one epoch of the store. Caches belong to the epoch in
// which they were filled: after an administrator has accepted another store, an object of the same
// name is a different object. Therefore the process waits for the record of the store before it
// fills a cache, and ends when the record names another epoch.
package epoch

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/util/storeidentity"
)

// readTimeout limits one read of the record.
const readTimeout = 5 * time.Second

// state is the result of a read of the record.
type state string

const (
	// present means that there is a valid record.
	present state = "present"
	// absent means that the API server responded that there is no record.
	absent state = "absent"
	// invalid means that there is a record with invalid content.
	invalid state = "invalid"
	// unreadable means that the record could not be read.
	unreadable state = "unreadable"
)

// observation is the outcome of one read.
type observation struct {
	state state
	// anchor is set if the record is present, err otherwise.
	anchor storeidentity.Anchor
	err    error
}

// record reads the record of an installation without a cache.
type record struct {
	live client.Reader
	key  types.NamespacedName
}

func recordIn(live client.Reader, namespace string) record {
	return record{live, types.NamespacedName{Namespace: namespace, Name: storeidentity.ConfigMapName}}
}

func (r record) read(ctx context.Context) observation {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	source := &corev1.ConfigMap{}
	err := r.live.Get(ctx, r.key, source)
	switch {
	case apierrors.IsNotFound(err) && !apierrors.IsUnexpectedServerError(err): // the latter is a 404 response of a proxy
		return observation{state: absent, err: fmt.Errorf("ConfigMap %s not found", r.key)}
	case err != nil:
		return observation{state: unreadable, err: fmt.Errorf("read ConfigMap %s: %w", r.key, err)}
	}
	found, err := storeidentity.Parse(source)
	switch {
	case err != nil:
		return observation{state: invalid, err: err}
	case found == nil:
		return observation{state: absent, err: fmt.Errorf("ConfigMap %s holds no record", r.key)}
	}
	return observation{state: present, anchor: found.Anchor}
}
