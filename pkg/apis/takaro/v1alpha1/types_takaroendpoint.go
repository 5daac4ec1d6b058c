// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +genclient
// +k8s:supportsSubresource="/status"
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// TakaroEndpoint is one Takaro installation, as used with the credentials of one namespace. The
// controller creates it for each address that a Domain or MockServer uses. The controller deletes
// it when the address is no longer used and status.left is empty. It reports which changes the
// controller holds at that address, and how to release them.
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
	// Status is the observed state. Only the controller writes it.
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
	// ObservedGeneration is the metadata.generation that this status refers to.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty" protobuf:"varint,1,opt,name=observedGeneration"`
	// Installation is part of every reference that is generated for a domain at this address. It
	// does not change when the --installation flag of the controller changes.
	// +optional
	Installation string `json:"installation,omitempty" protobuf:"bytes,2,opt,name=installation"`
	// Domains is the number of Domains that own a domain at this address.
	// +optional
	Domains int32 `json:"domains,omitempty" protobuf:"varint,3,opt,name=domains"`
	// Left are the domains that remained in Takaro when their Domain was deleted, and that could
	// not be marked as retained.
	// +optional
	// +listType=map
	// +listMapKey=id
	// +patchMergeKey=id
	// +patchStrategy=merge
	Left []LeftDomain `json:"left,omitempty" patchStrategy:"merge" patchMergeKey:"id" protobuf:"bytes,4,rep,name=left"`
	// Holds are the changes that wait for a user to release them.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +patchMergeKey=type
	// +patchStrategy=merge
	Holds []Hold `json:"holds,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,5,rep,name=holds"`
	// Conditions are Ready and Stalled. Ready is True if this Takaro is the recorded one, no
	// other installation writes to it, and no change waits for a release.
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

// Anchor is a disabled domain without users and game servers that Roadstead creates in each
// Takaro. Takaro assigns its ID and its creation time, so another database has a different anchor
// or none.
type Anchor struct {
	// ID is the ID of the domain in Takaro.
	// +required
	ID string `json:"id" protobuf:"bytes,1,opt,name=id"`
	// CreatedAt is the time at which Takaro created the domain.
	// +required
	// +k8s:opaqueType
	CreatedAt metav1.Time `json:"createdAt" protobuf:"bytes,2,opt,name=createdAt"`
	// HeldBy is the holder that another installation wrote into the name of the anchor, or
	// "unreadable". While it is set, the controller changes nothing in this Takaro.
	// +optional
	HeldBy string `json:"heldBy,omitempty" protobuf:"bytes,3,opt,name=heldBy"`
}

// LeftDomain is a domain that remained in Takaro after its Domain was deleted.
type LeftDomain struct {
	// ID is the ID of the domain in Takaro.
	// +required
	ID string `json:"id" protobuf:"bytes,1,opt,name=id"`
	// Object is the namespace and name of the deleted Domain.
	// +optional
	Object string `json:"object,omitempty" protobuf:"bytes,2,opt,name=object"`
	// Since is the time at which the Domain was deleted.
	// +optional
	// +k8s:opaqueType
	Since metav1.Time `json:"since,omitempty" protobuf:"bytes,3,opt,name=since"`
}

// HoldType is the kind of change that a hold counts.
// +enum
type HoldType string

const (
	// HoldVanished holds the creation of domains that are missing in Takaro, if these are more
	// than three and more than a tenth of all domains.
	HoldVanished HoldType = "Vanished"
	// HoldDeletion holds the deletion of domains that are older than a day, if within ten minutes
	// such domains are to be deleted in more than three namespaces and in more than a tenth of
	// all namespaces with Domains.
	HoldDeletion HoldType = "Deletion"
	// HoldRestarts holds the restart of mock servers that Takaro cannot reach, if these are more
	// than three and more than half of all mock servers. The hold ends without user action.
	HoldRestarts HoldType = "Restarts"
)

// Hold is a set of changes that wait for a user to release them, because so many simultaneous
// changes are more likely to be caused by a fault.
type Hold struct {
	// Type is the kind of change that the hold counts. It determines the kind of the held
	// objects: Domains (Vanished), namespaces (Deletion) or pods (Restarts).
	// +required
	Type HoldType `json:"type" protobuf:"bytes,1,opt,name=type,casttype=HoldType"`
	// Token is the value of the annotation roadstead.dev/release-hold that releases the objects
	// that are currently held. It is empty if no object is held, or if the hold ends without user
	// action.
	// +optional
	Token string `json:"token,omitempty" protobuf:"bytes,2,opt,name=token"`
	// Held is the number of held objects.
	// +optional
	Held int32 `json:"held,omitempty" protobuf:"varint,3,opt,name=held"`
	// Names are the first 20 held objects, as namespace/name or as the name of the namespace.
	// +optional
	// +listType=atomic
	Names []string `json:"names,omitempty" protobuf:"bytes,4,rep,name=names"`
	// Released are the objects that were released and are still affected, at most 1000.
	// +optional
	// +listType=atomic
	Released []string `json:"released,omitempty" protobuf:"bytes,5,rep,name=released"`
}
