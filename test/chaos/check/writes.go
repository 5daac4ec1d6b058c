// SPDX-License-Identifier: Apache-2.0

package check

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"roadstead.dev/roadstead/test/chaos/history"
)

// belief is the possible stored state of an object according to the results that its client
// received.
type belief struct {
	// marks are the writes that may be the last one. If absent is set, the object may not exist.
	marks  map[int]bool
	absent bool
	// doomed means that the object may have been deleted, and the next field that its deletion was
	// acknowledged.
	doomed, gone bool
	uid          string
	version      uint64
	domain       string
}

// Writes compares the results that clients received with what is stored at the end. Each object is
// written by one client, one request after the other.
func Writes(writes []history.Write, final []Object) []Violation {
	var found []Violation
	beliefs := map[history.Key]*belief{}
	for _, w := range writes {
		if w.Verb == history.DeleteNamespace {
			doomAll(beliefs, w)
			continue
		}
		b := beliefs[w.Key]
		if b == nil {
			b = &belief{marks: map[int]bool{}, absent: true, domain: w.Domain}
			beliefs[w.Key] = b
		}
		found = append(found, b.learn(w)...)
		if w.Verb == history.Delete && w.Key.Kind == Domain && w.Outcome != history.Refused {
			doomDependents(beliefs, w)
		}
	}
	return append(found, compare(beliefs, final)...)
}

func doomAll(beliefs map[history.Key]*belief, w history.Write) {
	for key, b := range beliefs {
		if key.Namespace == w.Key.Namespace && w.Outcome != history.Refused {
			b.doomed, b.absent = true, true
			b.gone = b.gone || w.Outcome == history.Acknowledged
		}
	}
}

// doomDependents marks the Users and MockServers of a deleted Domain as doomed, because they are
// deleted with it.
func doomDependents(beliefs map[history.Key]*belief, w history.Write) {
	for key, b := range beliefs {
		if key.Namespace == w.Key.Namespace && b.domain == w.Key.Name {
			b.doomed, b.absent = true, true
		}
	}
}

// learn updates the belief from one write.
func (b *belief) learn(w history.Write) []Violation {
	if w.Verb == history.Read {
		return b.confirm(w)
	}
	if w.Outcome == history.Refused {
		return nil
	}
	acknowledged := w.Outcome == history.Acknowledged
	switch w.Verb {
	case history.Delete:
		b.doomed, b.absent = true, true
		b.gone = b.gone || acknowledged
		return nil
	case history.Create, history.Change:
		if !acknowledged {
			b.marks[w.ID] = true
			return nil
		}
		// The write was conditional on what it replaced, so that no earlier request can take effect
		// after it.
		b.marks, b.absent = map[int]bool{w.ID: true}, b.doomed
	}
	return b.identify(w)
}

// identify checks and records the identity of the object. Its resource version only increases.
func (b *belief) identify(w history.Write) []Violation {
	var found []Violation
	if b.uid != "" && w.UID != b.uid {
		found = append(found, breach(Lost, "%s is another object (UID %s) than the one that was made (UID %s), by write %d",
			w.Key, w.UID, b.uid, w.ID))
	}
	b.uid = w.UID
	version, err := strconv.ParseUint(w.Version, 10, 64)
	if err != nil || version <= b.version {
		found = append(found, breach(Lost, "%s: write %d was acknowledged with resourceVersion %q after %d", w.Key, w.ID, w.Version, b.version))
	}
	b.version = max(b.version, version)
	return found
}

// confirm compares the belief with the result of a read.
func (b *belief) confirm(w history.Write) []Violation {
	switch {
	case w.Outcome != history.Acknowledged:
		return nil
	case w.Absent && !b.absent:
		return []Violation{breach(Lost, "%s is not there at %s: write %v of it was acknowledged, and nobody deleted it", w.Key, w.To, b.known())}
	case w.Absent:
		return nil
	case w.Deleting && !b.doomed:
		return []Violation{breach(Lost, "%s is being deleted at %s, and nobody asked for that", w.Key, w.To)}
	case !w.Deleting && b.gone:
		return []Violation{breach(Lost, "%s is not being deleted at %s, though that was acknowledged", w.Key, w.To)}
	case !b.marks[w.Mark]:
		return []Violation{breach(Lost, "%s holds write %d at %s, and by what was answered it must hold one of %v", w.Key,
			w.Mark, w.To, b.known())}
	case b.uid != "" && w.UID != b.uid:
		return []Violation{breach(Lost, "%s is another object (UID %s) at %s than the one that was made (UID %s)", w.Key, w.UID, w.To, b.uid)}
	}
	return nil
}

func (b *belief) known() []int { return slices.Sorted(maps.Keys(b.marks)) }

// compare checks the final state as if each client had read its objects once more.
func compare(beliefs map[history.Key]*belief, final []Object) []Violation {
	stored := map[history.Key]Object{}
	for _, object := range final {
		stored[object.Key] = object
	}
	var found []Violation
	for _, key := range slices.SortedFunc(maps.Keys(beliefs), byKey) {
		object, there := stored[key]
		found = append(found, beliefs[key].confirm(history.Write{
			Key: key, To: "the end", Outcome: history.Acknowledged, Absent: !there, Mark: object.Mark, UID: object.UID, Deleting: object.Deleting,
		})...)
	}
	for _, key := range slices.SortedFunc(maps.Keys(stored), byKey) {
		if beliefs[key] == nil {
			found = append(found, breach(Lost, "%s is stored, and nobody made it", key))
		}
	}
	return found
}

func byKey(a, b history.Key) int { return cmp.Compare(a.String(), b.String()) }

// Returned returns the violation for an object that a watch reports after it has reported the
// deletion of the same object.
func Returned(object Object) Violation {
	return breach(Watch, "%s (UID %s) exists, and a watch has reported its deletion", object.Key, object.UID)
}

// Watched compares the objects that a watch has reported with those that are stored.
func Watched(watched, stored []Object) []Violation {
	var found []Violation
	seen := map[history.Key]Object{}
	for _, object := range watched {
		seen[object.Key] = object
	}
	for _, object := range stored {
		got, ok := seen[object.Key]
		delete(seen, object.Key)
		switch {
		case !ok:
			found = append(found, breach(Watch, "%s is stored, and a watch has not shown it", object.Key))
		case got.Version != object.Version:
			found = append(found, breach(Watch, "%s is stored as version %s, and a watch has shown version %s last", object.Key,
				object.Version, got.Version))
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(seen), byKey) {
		found = append(found, breach(Watch, "%s is not stored, and a watch has not shown its end", key))
	}
	return found
}
