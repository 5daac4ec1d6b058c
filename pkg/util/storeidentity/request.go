// SPDX-License-Identifier: Apache-2.0

package storeidentity

import (
	"encoding/json"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
)

// RequestKey is the key of the ConfigMap that contains a Request. It does not need a record in the
// same ConfigMap.
const RequestKey = "request"

// NewStore is the id of a store that has none yet.
const NewStore = "new"

// Request requests that the servers accept the store that they refuse. A server fulfills it only if
// it observes exactly the store that the request describes, and removes it afterwards.
type Request struct {
	// Nonce is random and identifies the request: a server that finds it in the store has begun to fulfill the request.
	Nonce string `json:"nonce"`
	// StoreID is the id in the store, NewStore if it has none.
	StoreID string `json:"storeID"`
	// EtcdClusterID is the hexadecimal id of the etcd cluster.
	EtcdClusterID string `json:"etcdClusterID"`
	// Revision is the one at which the store was inspected. A store that is behind it is another copy.
	Revision int64 `json:"revision"`
	// Reason is the administrator's.
	Reason string `json:"reason"`
}

// String returns the value of the ConfigMap's key.
func (r Request) String() string {
	text, err := json.Marshal(r)
	if err != nil { // it has no field that could fail
		panic(err)
	}
	return string(text)
}

// ParseRequest reads the pending request of a ConfigMap, nil if there is none.
func ParseRequest(source *corev1.ConfigMap) (*Request, error) {
	text, found := source.Data[RequestKey]
	if !found {
		return nil, nil
	}
	request := &Request{}
	err := json.Unmarshal([]byte(text), request)
	if err == nil && (request.Nonce == "" || request.StoreID == "" || request.EtcdClusterID == "") {
		err = errors.New("it must have a nonce, a store id and the id of an etcd cluster")
	}
	if err != nil {
		return nil, fmt.Errorf("ConfigMap %s/%s: invalid %s: %w", source.Namespace, source.Name, RequestKey, err)
	}
	return request, nil
}
