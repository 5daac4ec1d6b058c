// SPDX-License-Identifier: Apache-2.0

// Package storeidentity is the record that binds a host cluster to our store. The server keeps it and refuses requests
// when it does not fit; whatever deletes objects because others are gone asks it first.
package storeidentity

import (
	"errors"
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// ConfigMapName is the ConfigMap in the installation's namespace that holds the record.
const ConfigMapName = "roadstead-store-identity"

// Keys of the ConfigMap.
const (
	StoreIDKey    = "storeID"
	ClusterUIDKey = "clusterUID"
	RevisionKey   = "revision"
)

// Record is what the host cluster knows of the store.
type Record struct {
	// StoreID is the random id that lies in the store.
	StoreID string
	// ClusterUID is the UID of the host's namespace kube-system: a host that was rebuilt has another one.
	ClusterUID types.UID
	// Revision is the highest revision of the store that was seen; a store that is behind is an older copy.
	Revision int64
}

// Parse reads the record of a ConfigMap.
func Parse(source *corev1.ConfigMap) (Record, error) {
	record := Record{StoreID: source.Data[StoreIDKey], ClusterUID: types.UID(source.Data[ClusterUIDKey])}
	if record.StoreID == "" || record.ClusterUID == "" {
		return Record{}, fmt.Errorf("ConfigMap %s/%s lacks %s or %s", source.Namespace, source.Name, StoreIDKey, ClusterUIDKey)
	}
	revision, err := strconv.ParseInt(source.Data[RevisionKey], 10, 64)
	if err == nil && revision < 0 {
		err = errors.New("negative")
	}
	if err != nil {
		return Record{}, fmt.Errorf("ConfigMap %s/%s: %s is not a number: %w", source.Namespace, source.Name, RevisionKey, err)
	}
	record.Revision = revision
	return record, nil
}

// Data is the content of a ConfigMap that holds the record.
func (r Record) Data() map[string]string {
	return map[string]string{
		StoreIDKey:    r.StoreID,
		ClusterUIDKey: string(r.ClusterUID),
		RevisionKey:   strconv.FormatInt(r.Revision, 10),
	}
}
