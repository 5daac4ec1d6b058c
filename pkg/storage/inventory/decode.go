// SPDX-License-Identifier: Apache-2.0

package inventory

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"roadstead.dev/roadstead/pkg/util/storeidentity"
)

// protobufMark begins every object that Kubernetes encodes as protobuf. A runtime.Unknown with the object follows.
var protobufMark = []byte("k8s\x00")

// decode reads the metadata of an object that is encoded as protobuf or JSON.
func decode(plain []byte) (metav1.ObjectMeta, error) {
	var object metav1.PartialObjectMetadata
	if packed, isProtobuf := bytes.CutPrefix(plain, protobufMark); isProtobuf {
		var unknown runtime.Unknown
		if err := unknown.Unmarshal(packed); err != nil {
			return metav1.ObjectMeta{}, fmt.Errorf("decode protobuf: %w", err)
		}
		// The fields after the metadata are those of the kind and are skipped.
		if err := object.Unmarshal(unknown.Raw); err != nil {
			return metav1.ObjectMeta{}, fmt.Errorf("decode protobuf: %w", err)
		}
	} else if err := json.Unmarshal(plain, &object); err != nil {
		return metav1.ObjectMeta{}, fmt.Errorf("decode JSON: %w", err)
	}
	if object.Name == "" || object.UID == "" {
		return metav1.ObjectMeta{}, errors.New("the object has no name or no UID")
	}
	return object.ObjectMeta, nil
}

// parse returns the object of a key: <prefix>/<group>/<resource>/[<namespace>/]<name>. isObject is
// false for keys of other data. A key in an unknown form is an object with an error, so that the
// inventory never omits stored data.
func (l Lister) parse(key string) (object storeidentity.InventoryObject, isObject bool, err error) {
	below := strings.TrimPrefix(key, l.Prefix+"/")
	parts := strings.Split(below, "/")
	if strings.HasPrefix(below, "__") || slices.Contains(l.Ignore, parts[0]) {
		return object, false, nil
	}
	switch len(parts) {
	case 3:
		object.Group, object.Resource, object.Name = parts[0], parts[1], parts[2]
	case 4:
		object.Group, object.Resource, object.Namespace, object.Name = parts[0], parts[1], parts[2], parts[3]
	default:
		object.Name = below
		err = errors.New("the key is not that of an object")
	}
	return object, true, err
}
