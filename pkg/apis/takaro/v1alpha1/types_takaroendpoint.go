// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +genclient
// +k8s:supportsSubresource="/status"
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// TakaroEndpoint is one Takaro installation, as used with the credentials of one namespace. The controller creates it
// for each address that a Domain or MockServer uses, and deletes it when none does. It reports what the controller holds
// back at that address, and how to release it.
type TakaroEndpoint struct {
	// +k8s:opaqueType
	metav1.TypeMeta `json:",inline"`
	// Standard object metadata.
	// +optional
	// +k8s:opaqueType
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Spec is the desired state.
	// +optional
	Spec TakaroEndpointSpec `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"`
	// Status is the observed state. It is written by the controller and read-only otherwise.
	// +optional
	Status TakaroEndpointStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// TakaroEndpointList is a list of TakaroEndpoints.
type TakaroEndpointList struct {
	// +k8s:opaqueType
	metav1.TypeMeta `json:",inline"`
	// Standard list metadata.
	// +optional
	// +k8s:opaqueType
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Items are the TakaroEndpoints.
	Items []TakaroEndpoint `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// TakaroEndpointSpec is the desired state of a TakaroEndpoint.
type TakaroEndpointSpec struct {
	// URL is the normalized address of the Takaro API. Immutable.
	// +required
	// +k8s:required
	// +k8s:maxLength=2048
	// +k8s:immutable
	URL string `json:"url" protobuf:"bytes,1,opt,name=url"`
}

// TakaroEndpointStatus is the observed state of a TakaroEndpoint.
type TakaroEndpointStatus struct {
	// ObservedGeneration is the metadata.generation that this status is about.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty" protobuf:"varint,1,opt,name=observedGeneration"`
	// Installation is part of every reference that is generated for a domain at this address. It stays the same when
	// the controller's --installation changes.
	// +optional
	Installation string `json:"installation,omitempty" protobuf:"bytes,2,opt,name=installation"`
	// Domains is the number of Domains that own a domain at this address.
	// +optional
	Domains int32 `json:"domains,omitempty" protobuf:"varint,3,opt,name=domains"`
	// Left are domains that were left in Takaro when their Domain was deleted, and could not be marked as left.
	// +optional
	// +listType=map
	// +listMapKey=id
	// +patchMergeKey=id
	// +patchStrategy=merge
	Left []LeftDomain `json:"left,omitempty" patchStrategy:"merge" patchMergeKey:"id" protobuf:"bytes,4,rep,name=left"`
	// Holds are the changes that wait for a person.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +patchMergeKey=type
	// +patchStrategy=merge
	Holds []Hold `json:"holds,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,5,rep,name=holds"`
	// Conditions are Ready and Stalled. Ready: this Takaro is the recorded one, no other installation writes there, and nothing waits for a
	// release.
	// +optional
	// +k8s:eachVal=+k8s:opaqueType
	// +listType=map
	// +listMapKey=type
	// +patchMergeKey=type
	// +patchStrategy=merge
	Conditions []metav1.Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,6,rep,name=conditions"`
	// Anchor is the domain by which the controller recognizes this Takaro.
	// +optional
	Anchor *Anchor `json:"anchor,omitempty" protobuf:"bytes,7,opt,name=anchor"`
}

// Anchor is a disabled domain without users and game servers that Roadstead creates in each Takaro. Takaro chooses its
// id and its creation time: another database has another anchor, or none.
type Anchor struct {
	// ID in Takaro.
	// +required
	ID string `json:"id" protobuf:"bytes,1,opt,name=id"`
	// CreatedAt is when Takaro created the domain.
	// +required
	// +k8s:opaqueType
	CreatedAt metav1.Time `json:"createdAt" protobuf:"bytes,2,opt,name=createdAt"`
	// HeldBy is the holder that another installation wrote into the name of the anchor, or "unreadable". While it is
	// set, nothing is changed in this Takaro.
	// +optional
	HeldBy string `json:"heldBy,omitempty" protobuf:"bytes,3,opt,name=heldBy"`
}

// LeftDomain is a domain that was left in Takaro.
type LeftDomain struct {
	// ID in Takaro.
	// +required
	ID string `json:"id" protobuf:"bytes,1,opt,name=id"`
	// Object is the namespace and name of the deleted Domain.
	// +optional
	Object string `json:"object,omitempty" protobuf:"bytes,2,opt,name=object"`
	// Since is when the Domain was deleted.
	// +optional
	// +k8s:opaqueType
	Since metav1.Time `json:"since,omitempty" protobuf:"bytes,3,opt,name=since"`
}

// HoldType is what a hold counts.
// +enum
type HoldType string

const (
	// HoldVanished holds domains that are missing in Takaro: more than three, and more than a tenth of all. They are
	// not created anew.
	HoldVanished HoldType = "Vanished"
	// HoldDeletion holds the deletion of domains that are older than a day: in more than three namespaces, and more than
	// a tenth of all, within ten minutes.
	HoldDeletion HoldType = "Deletion"
	// HoldRestarts holds restarts of mock servers that Takaro does not reach: more than three, and more than half of
	// all. It ends by itself.
	HoldRestarts HoldType = "Restarts"
)

// Hold is a set of changes that wait for a person, because so many at once are more likely to be a fault.
type Hold struct {
	// Type is what the hold counts.
	// +required
	Type HoldType `json:"type" protobuf:"bytes,1,opt,name=type,casttype=HoldType"`
	// Token is the value of the annotation roadstead.dev/release-hold that releases the objects which are held now. It
	// is empty if none is held.
	// +optional
	Token string `json:"token,omitempty" protobuf:"bytes,2,opt,name=token"`
	// Held is the number of objects that are held.
	// +optional
	Held int32 `json:"held,omitempty" protobuf:"varint,3,opt,name=held"`
	// Names are the first 20 of the held objects, as namespace/name.
	// +optional
	// +listType=atomic
	Names []string `json:"names,omitempty" protobuf:"bytes,4,rep,name=names"`
	// Released are the objects that were released and are still affected, at most 1000.
	// +optional
	// +listType=atomic
	Released []string `json:"released,omitempty" protobuf:"bytes,5,rep,name=released"`
}
