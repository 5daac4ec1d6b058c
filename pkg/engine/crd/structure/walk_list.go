// SPDX-License-Identifier: Apache-2.0

package structure

import (
	"slices"
	"strings"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// list compares items and how the server correlates them.
func (w *walk) list(old, new *schema, at spot) {
	if old.items != nil && new.items != nil {
		w.identity(old, new, at)
	}
	w.topology(old, new, at)
	if old.items != nil && new.items != nil {
		w.node(old.items, new.items, at.items(new))
	}
}

// identity reports items without the keys of a map list. The API server rejects every update of an
// object that contains such an item.
func (w *walk) identity(old, new *schema, at spot) {
	switch {
	case new.listType != "map":
	case old.items.types != typeObject:
		w.find("904", at, old.topologyText(), new.topologyText(), "all items of the list must be objects now: stored objects with "+
			"other items can no longer be updated at all, and even their finalizers cannot be removed").Verdict = rules.Destructive
	default:
		for _, key := range new.mapKeys {
			is := new.items.properties[key]
			if old.listType == "map" && slices.Contains(old.mapKeys, key) || old.items.requires(key) || is != nil && is.defaults {
				continue
			}
			w.find("904", at, old.topologyText(), new.topologyText(), "items need the key %s now: stored objects with an item without "+
				"it can no longer be updated at all, and even their finalizers cannot be removed", key).Verdict = rules.Destructive
		}
	}
}

func (w *walk) topology(old, new *schema, at spot) {
	if old.listType == new.listType {
		if old.listType == "map" && !slices.Equal(old.mapKeys, new.mapKeys) {
			w.keys(old, new, at)
		}
		return
	}
	was, is := old.topologyText(), new.topologyText()
	single := old.limits.maxItems.is && old.limits.maxItems.value <= 1
	switch {
	case new.listType == "atomic" && old.listType == "set":
		w.find("902", at, was, is, "the list has a single owner now: managers that own items of it conflict in server-side apply, and "+
			"a forced apply deletes the items of other managers")
	case new.listType == "atomic":
		w.find("911", at, was, is, "the list has a single owner now: managers that own items of it conflict in server-side apply, and "+
			"a forced apply deletes the items of other managers")
	case single:
		w.find("903", at, was, is,
			"each item has its own owner now; the list holds at most one item, so there are no duplicates").Verdict = rules.Review
	case new.listType == "set" && old.listType == "atomic":
		w.find("901", at, was, is, "objects with a duplicate value in the list can be neither recreated nor applied with server-side "+
			"apply, and items that were removed from a manifest remain without an owner")
	case old.listType == "atomic":
		w.find("903", at, was, is, "objects with two items of the same %s can be neither recreated nor applied with server-side apply, "+
			"and items that were removed from a manifest remain without an owner", strings.Join(new.mapKeys, ", "))
	default:
		w.find("904", at, was, is, "the keys that identify an item change: lists that were valid may contain duplicates now")
	}
}

// keys compares the keys of a map list.
func (w *walk) keys(old, new *schema, at spot) {
	narrowed := slices.ContainsFunc(old.mapKeys, func(key string) bool { return !slices.Contains(new.mapKeys, key) })
	if !narrowed {
		w.find("905", at, old.mapKeys, new.mapKeys,
			"an item is identified by more keys: after an apply, items that differ only in the new key may remain without an owner")
		return
	}
	w.find("906", at, old.mapKeys, new.mapKeys,
		"items with the same %s are duplicates now: objects with such items can be neither recreated nor applied with server-side apply",
		strings.Join(new.mapKeys, ", "))
}

func (s *schema) topologyText() string {
	if s.listType == "map" {
		return "map by " + strings.Join(s.mapKeys, ", ")
	}
	return s.listType
}

// describe returns a short description of a node.
func (s *schema) describe() string {
	if s == nil {
		return ""
	}
	switch {
	case s.anything():
		return "anything"
	case s.types == typeArray && s.items != nil:
		return "list of " + s.items.types.String()
	case s.types == typeObject && s.additional != nil:
		return "map of " + s.additional.types.String()
	}
	return s.types.String()
}
