// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Status is what an API object stores about its outside objects. Only the controller writes it.
type Status struct {
	// Records are the outside objects that the API object created, adopted or is about to create.
	// +optional
	// +listType=atomic
	Records []Record `json:"records,omitempty" protobuf:"bytes,1,rep,name=records"`
	// Facts maps the name of a fact to a keyed hash of everything that the fact depends on.
	// +optional
	Facts map[string]string `json:"facts,omitempty" protobuf:"bytes,2,rep,name=facts"`
}

// Record is one outside object that an API object created, adopted or is about to create.
type Record struct {
	// Kind is the kind of the outside object, for example Domain.
	// +required
	Kind string `json:"kind" protobuf:"bytes,1,opt,name=kind"`
	// ID is the id that the outside system chose. It is empty while the record is Intended.
	// +optional
	ID string `json:"id,omitempty" protobuf:"bytes,2,opt,name=id"`
	// Key is the create key: a value that a create sets in the outside object and that identifies
	// it until its id is recorded. It also distinguishes the outside objects of one kind.
	// +required
	Key string `json:"key" protobuf:"bytes,3,opt,name=key"`
	// Parent is the id of the outside object that contains this one, for example of the domain of
	// a user.
	// +optional
	Parent string `json:"parent,omitempty" protobuf:"bytes,4,opt,name=parent"`
	// State is Intended, Held or Lost.
	// +required
	State State `json:"state" protobuf:"bytes,5,opt,name=state,casttype=State"`
	// Origin is Created, Adopted or Found. It is empty while the record is Intended.
	// +optional
	Origin Origin `json:"origin,omitempty" protobuf:"bytes,6,opt,name=origin,casttype=Origin"`
	// Since is the time of the last change of the state. For an Intended record it is the time at
	// which the last create was about to be sent.
	// +required
	Since metav1.Time `json:"since" protobuf:"bytes,7,opt,name=since"`
	// Tries counts how often the result of an interrupted create was removed.
	// +optional
	Tries int32 `json:"tries,omitempty" protobuf:"varint,8,opt,name=tries"`
}

// State is the state of a record.
// +enum
type State string

const (
	// Intended means that a create was decided on; its outcome is not known.
	Intended State = "Intended"
	// Held means that the outside object is owned under the recorded id.
	Held State = "Held"
	// Lost means that the outside object vanished. The id is kept in case it reappears.
	Lost State = "Lost"
)

// Origin is how the API object obtained the outside object.
// +enum
type Origin string

const (
	// Created objects were created by Roadstead for this API object.
	Created Origin = "Created"
	// Adopted objects existed before; the spec requested their adoption.
	Adopted Origin = "Adopted"
	// Found objects were in the status of a release without a ledger, and nothing proves that
	// Roadstead created them. They are updated, but never deleted or disabled.
	Found Origin = "Found"
)
