// SPDX-License-Identifier: Apache-2.0

// Package storeidentity defines the record that binds a cluster to Roadstead's store, and the request to accept another
// store. The server keeps the record; the controllers and the administrator's commands read it.
package storeidentity

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// ConfigMapName is the ConfigMap in the installation's namespace that holds the record.
const ConfigMapName = "roadstead-store-identity"

// Keys of the ConfigMap.
const (
	StoreIDKey       = "storeID"
	EpochKey         = "epoch"
	TickKey          = "tick"
	RevisionKey      = "revision"
	EtcdClusterIDKey = "etcdClusterID"
	ClusterUIDKey    = "clusterUID"
	// FingerprintPrefix begins the keys that hold the fingerprints of once-only Secrets, one key for each Secret.
	FingerprintPrefix = "fingerprint."
)

// Record is the information about the store in the cluster. It is always written after etcd, so it
// is never ahead of the store that it describes.
type Record struct {
	Anchor
	// Tick counts the confirmed writes of the epoch. A store with a lower tick is an older copy, however far its revision
	// has grown since.
	Tick int64
	// Revision is the revision of etcd at the last tick.
	Revision int64
	// EtcdClusterID is the hexadecimal id of the etcd cluster, empty in a record that was written before epochs existed.
	EtcdClusterID string
	// ClusterUID is the UID of the namespace kube-system: a cluster that was rebuilt has another one.
	ClusterUID types.UID
	// Fingerprints are those of the once-only Secrets that have been in use, by the name of the Secret.
	Fingerprints map[string][]string
}

// Parse reads the record of a ConfigMap. A record without an epoch was written by a version that had none; it reads as the
// first epoch of its store. Parse returns nil without an error if the ConfigMap holds nothing, or only a Request.
func Parse(source *corev1.ConfigMap) (*Record, error) {
	data := source.Data
	if _, requested := data[RequestKey]; len(data) == 0 || requested && len(data) == 1 {
		return nil, nil
	}
	invalid := func(key string, err error) (*Record, error) {
		return nil, fmt.Errorf("ConfigMap %s/%s: invalid %s: %w", source.Namespace, source.Name, key, err)
	}
	record := &Record{
		Anchor: Anchor{StoreID: data[StoreIDKey], Epoch: 1}, EtcdClusterID: data[EtcdClusterIDKey],
		ClusterUID: types.UID(data[ClusterUIDKey]), Fingerprints: map[string][]string{},
	}
	if record.StoreID == "" || strings.Contains(record.StoreID, "/") {
		return invalid(StoreIDKey, errors.New("must be the id of a store"))
	}
	if record.ClusterUID == "" {
		return invalid(ClusterUIDKey, errors.New("must be the UID of namespace kube-system"))
	}
	_, hasEpoch := data[EpochKey]
	if hasEpoch && record.EtcdClusterID == "" {
		return invalid(EtcdClusterIDKey, errors.New("must be the id of the etcd cluster"))
	}
	for key, field := range map[string]struct {
		value    *int64
		least    int64
		optional bool
	}{
		EpochKey:    {&record.Epoch, 1, true},
		TickKey:     {&record.Tick, 0, !hasEpoch},
		RevisionKey: {&record.Revision, 0, false},
	} {
		text, present := data[key]
		if !present && field.optional {
			continue
		}
		number, err := strconv.ParseInt(text, 10, 64)
		if err == nil && number < field.least {
			err = fmt.Errorf("must be at least %d", field.least)
		}
		if err != nil {
			return invalid(key, err)
		}
		*field.value = number
	}
	if record.Epoch > MaxEpoch {
		return invalid(EpochKey, fmt.Errorf("must be at most %d", MaxEpoch))
	}
	for key, value := range data {
		if secret, found := strings.CutPrefix(key, FingerprintPrefix); found {
			record.Fingerprints[secret] = strings.Fields(value)
		}
	}
	return record, nil
}

// Data returns the content of a ConfigMap that holds the record. Without the id of the etcd cluster it is a record of a
// version without epochs.
func (r Record) Data() map[string]string {
	data := map[string]string{
		StoreIDKey:    r.StoreID,
		RevisionKey:   strconv.FormatInt(r.Revision, 10),
		ClusterUIDKey: string(r.ClusterUID),
	}
	if r.EtcdClusterID != "" {
		data[EpochKey], data[TickKey] = strconv.FormatInt(r.Epoch, 10), strconv.FormatInt(r.Tick, 10)
		data[EtcdClusterIDKey] = r.EtcdClusterID
	}
	for secret, fingerprints := range r.Fingerprints {
		data[FingerprintPrefix+secret] = strings.Join(fingerprints, " ")
	}
	return data
}
