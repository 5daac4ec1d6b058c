// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"

	release "roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	takaro "roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/test/peer"
)

const (
	jsonType     = "application/json"
	protobufType = "application/vnd.kubernetes.protobuf"
	mergeType    = "application/merge-patch+json"
	applyType    = "application/apply-patch+yaml"
)

// way is one of the compared ways to access the objects.
type way struct {
	// crd selects the CRDs instead of Roadstead.
	crd bool
	// protobuf selects the encoding of requests and responses instead of JSON, the only one of
	// CRDs.
	protobuf bool
	// direct sends requests to roadstead-apiserver without kube-apiserver.
	direct bool
}

var (
	oursJSON     = way{}
	oursProtobuf = way{protobuf: true}
	oursDirect   = way{direct: true}
	crdJSON      = way{crd: true}
)

// name returns the name of the way in file names.
func (w way) name() string {
	switch {
	case w.crd:
		return "crd"
	case w.direct:
		return "direct"
	case w.protobuf:
		return "protobuf"
	}
	return "json"
}

func (w way) group(kind peer.Kind) string {
	if w.crd {
		return kind.PeerGroup()
	}
	return kind.Group
}

// collection returns the path of a kind in a namespace.
func (w way) collection(kind peer.Kind, namespace string) string {
	path := "/apis/" + w.group(kind) + "/" + peer.Version
	if !kind.ClusterScoped {
		path += "/namespaces/" + namespace
	}
	return path + "/" + kind.Plural
}

func (w way) mediaType() string {
	if w.protobuf {
		return protobufType
	}
	return jsonType
}

// types is the scheme of the protobuf client.
var types = func() *runtime.Scheme {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{takaro.AddToScheme, release.AddToScheme} {
		if err := add(scheme); err != nil {
			panic(err)
		}
	}
	return scheme
}()

// encode returns the body of an object on this way.
func (w way) encode(made made) ([]byte, error) {
	version := schema.GroupVersion{Group: w.group(made.kind), Version: peer.Version}
	made.object.GetObjectKind().SetGroupVersionKind(version.WithKind(made.kind.Name))
	if !w.protobuf {
		return json.Marshal(made.object)
	}
	var body bytes.Buffer
	if err := protobuf.NewSerializer(types, types).Encode(made.object, &body); err != nil {
		return nil, fmt.Errorf("protobuf of %s: %w", made.kind.Name, err)
	}
	return body.Bytes(), nil
}
