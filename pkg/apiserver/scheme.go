// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"

	releaseinstall "roadstead.dev/roadstead/pkg/apis/release/install"
	"roadstead.dev/roadstead/pkg/apis/takaro/install"
)

var (
	// Scheme contains every kind of the server in all versions. It is for serving: its conversions
	// omit write-only fields.
	Scheme = runtime.NewScheme()
	// Codecs encode and decode the kinds of Scheme.
	Codecs = serializer.NewCodecFactory(Scheme)
	// storageScheme contains the same kinds and converts them completely.
	storageScheme = runtime.NewScheme()
	// StorageCodecs encode and decode the kinds for the store only.
	StorageCodecs = serializer.NewCodecFactory(storageScheme)
	// ParameterCodec decodes query parameters.
	ParameterCodec = runtime.NewParameterCodec(Scheme)
)

func init() {
	for _, scheme := range []*runtime.Scheme{storageScheme, Scheme} {
		install.Install(scheme)
		releaseinstall.Install(scheme)
	}
	utilruntime.Must(install.HideWriteOnly(Scheme))
	// The scale subresource speaks autoscaling/v1, which is its own internal version here.
	utilruntime.Must(autoscalingv1.AddToScheme(Scheme))
	Scheme.AddKnownTypes(schema.GroupVersion{Group: autoscalingv1.GroupName, Version: runtime.APIVersionInternal}, &autoscalingv1.Scale{})

	// Kinds of requests and responses in addition to those of Roadstead: options, Status, discovery
	// documents.
	metav1.AddToGroupVersion(Scheme, schema.GroupVersion{Version: "v1"})
	Scheme.AddUnversionedTypes(schema.GroupVersion{Version: "v1"},
		&metav1.Status{},
		&metav1.APIVersions{},
		&metav1.APIGroupList{},
		&metav1.APIGroup{},
		&metav1.APIResourceList{},
	)
}
