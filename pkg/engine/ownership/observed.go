// SPDX-License-Identifier: Apache-2.0

package ownership

import "time"

// Object is an outside object as the outside system returned it.
type Object struct {
	// ID is the id that the outside system chose.
	ID string
	// Reference is the field that holds the create key after a create: the externalReference of a
	// domain, the name of a user, the identity token of a game server.
	Reference string
	// Name is the field by which the spec may name an existing object: the externalReference of a
	// domain, the e-mail address of a user, the name of a Helm release.
	Name string
	// Used reports that the object shows signs of use: it contains something that no create puts
	// there, or was changed later. Such an object is never removed as left by an interrupted
	// create.
	Used bool
}

// List is the result of a search in the outside system. It covers the recorded IDs, the create key
// and the name.
type List struct {
	// Rows is the number of received rows, Total the number of rows that the outside system counts.
	Rows, Total int
	// Objects are the rows with a recorded id, the create key or the name.
	Objects []Object
}

// Read is the response to a read by ID. Object is nil if the object does not exist.
type Read struct {
	ID     string
	Object *Object
}

// Observed is the observed state of one outside object.
type Observed struct {
	// List is the search, nil if there was none.
	List *List
	// Reads are the successful reads by ID.
	Reads []Read
	// Incomplete is set if data that only a create returns, such as a root password, are not stored
	// for the object that has the create key.
	Incomplete bool
	// GoneSince is the time of the first complete list since which the held object was missing in
	// every list. The zero value means that the current list is the first.
	GoneSince time.Time
	// Live is set if the API object, its Secrets, the identity of the endpoint and all of Observed
	// were read for this decision, bypassing all caches. Destructive decisions require it.
	Live bool
}

// Finding is the finding about an outside object.
type Finding string

// The findings, in the order in which they are checked.
const (
	// FoundUnclear means that the search was incomplete or contradicts what a read returned.
	FoundUnclear Finding = "Unclear"
	// FoundMoved means that the held object has a reference that Roadstead did not set.
	FoundMoved Finding = "Moved"
	// FoundID means that the held object exists.
	FoundID Finding = "ID"
	// FoundGone means that a complete list lacks the held object and a read by id returned 404.
	FoundGone Finding = "Gone"
	// FoundFormer means that an object whose record is Lost exists with Roadstead's reference.
	FoundFormer Finding = "Former"
	// FoundKey means that an object with an unknown ID has the create key.
	FoundKey Finding = "Key"
	// FoundName means that another object has the name in the spec.
	FoundName Finding = "Name"
	// FoundAbsent means that a complete list contains none of these.
	FoundAbsent Finding = "Absent"
)

// classify returns the finding, the object (none for Unclear, Gone and Absent), and for Unclear the
// reason.
func classify(want Want, o Observed, l Ledger) (Finding, Object, unclear) {
	if why := o.contradiction(); why != clear {
		return FoundUnclear, Object{}, why
	}
	record, current := l.Current(want.Slot)
	if current && record.State == Held {
		object, answers, asked := o.byID(record.ID)
		switch {
		case answers && !want.references(object.Reference):
			return FoundMoved, object, clear
		case answers:
			return FoundID, object, clear
		case o.List == nil:
			return FoundUnclear, Object{}, notSearched
		case !asked:
			return FoundUnclear, Object{}, notRead
		}
		return FoundGone, Object{}, clear
	}
	former, returned := o.former(want, l)
	if returned && !current {
		return FoundFormer, former, clear
	}
	if o.List == nil {
		return FoundUnclear, Object{}, notSearched
	}
	var keyed, named []Object
	for _, object := range o.List.Objects {
		switch {
		case l.knows(want.Slot, object.ID):
		case object.Reference == want.Key:
			keyed = append(keyed, object)
		case want.Name != "" && object.Name == want.Name:
			named = append(named, object)
		}
	}
	switch {
	case len(keyed) > 1:
		return FoundUnclear, Object{}, twice
	case len(keyed) == 1:
		return FoundKey, keyed[0], clear
	case returned:
		return FoundFormer, former, clear
	case len(named) > 0:
		return FoundName, named[0], clear
	}
	return FoundAbsent, Object{}, clear
}

// unclear is the reason why an observation proves nothing.
type unclear int

const (
	clear unclear = iota
	notSearched
	shortList
	notRead
	notListed
	notFound
	twice
)

// contradiction returns why the list is not reliable: it has fewer rows than its total, or
// disagrees with a read by ID.
func (o Observed) contradiction() unclear {
	if o.List == nil {
		return clear
	}
	if o.List.Rows < o.List.Total {
		return shortList
	}
	for _, read := range o.Reads {
		_, listed := o.List.byID(read.ID)
		switch exists := read.Object != nil; {
		case exists && !listed:
			return notListed
		case !exists && listed:
			return notFound
		}
	}
	return clear
}

// byID returns the object with the ID. answers reports that it exists, and the second result that a read returned
// it or its absence. Reads take precedence over the list, which may be older.
func (o Observed) byID(id string) (object Object, answers, asked bool) {
	for _, read := range o.Reads {
		if read.ID == id {
			if read.Object == nil {
				return Object{}, false, true
			}
			return *read.Object, true, true
		}
	}
	object, answers = o.List.byID(id)
	return object, answers, false
}

func (l *List) byID(id string) (Object, bool) {
	if l == nil {
		return Object{}, false
	}
	for _, object := range l.Objects {
		if object.ID == id {
			return object, true
		}
	}
	return Object{}, false
}

func (l *List) byKey(key string) (Object, bool) {
	if l == nil {
		return Object{}, false
	}
	for _, object := range l.Objects {
		if object.Reference == key {
			return object, true
		}
	}
	return Object{}, false
}

// former returns the newest Lost object that exists with the create key or the name.
func (o Observed) former(want Want, l Ledger) (Object, bool) {
	for _, record := range l.Lost(want.Slot) {
		object, answers, _ := o.byID(record.ID)
		if answers && (object.Reference == want.Key || want.Name != "" && object.Name == want.Name) {
			return object, true
		}
	}
	return Object{}, false
}
