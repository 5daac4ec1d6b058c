// SPDX-License-Identifier: Apache-2.0

package structure

import (
	"slices"
	"strings"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// list compares items and how the server tells them apart.
func (w *walk) list(old, new *schema, at spot) {
	if old.items != nil && new.items != nil {
		w.identity(old, new, at)
	}
	w.topology(old, new, at)
	if old.items != nil && new.items != nil {
		w.node(old.items, new.items, at.items(new))
	}
}

// identity reports items that a map list cannot tell apart at all, which the server never forgives.
func (w *walk) identity(old, new *schema, at spot) {
	switch {
	case new.listType != "map":
	case old.items.types != typeObject:
		w.find("904", at, old.topologyText(), new.topologyText(), "only objects can be items of the list now: stored objects with "+
			"others can no longer be updated at all, not even their finalizers").Verdict = rules.Destructive
	default:
		for _, key := range new.mapKeys {
			is := new.items.properties[key]
			if old.listType == "map" && slices.Contains(old.mapKeys, key) || old.items.requires(key) || is != nil && is.defaults {
				continue
			}
			w.find("904", at, old.topologyText(), new.topologyText(), "items need %s now, which tells them apart: stored objects with an "+
				"item that lacks it can no longer be updated at all, not even their finalizers", key).Verdict = rules.Destructive
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
		w.find("902", at, was, is, "the list has one owner now: managers that own items of it conflict in server-side apply, and a "+
			"forced apply deletes the others' items")
	case new.listType == "atomic":
		w.find("911", at, was, is, "the list has one owner now: managers that own items of it conflict in server-side apply, and a "+
			"forced apply deletes the others' items")
	case single:
		w.find("903", at, was, is,
			"the list has an owner for each item now; it holds one item at most, so there are no duplicates").Verdict = rules.Review
	case new.listType == "set" && old.listType == "atomic":
		w.find("901", at, was, is, "lists with a value twice can be neither made anew nor applied by server-side apply, and items "+
			"that were dropped from a manifest stay, owned by nobody")
	case old.listType == "atomic":
		w.find("903", at, was, is, "lists with two items of the same %s can be neither made anew nor applied by server-side apply, "+
			"and items that were dropped from a manifest stay, owned by nobody", strings.Join(new.mapKeys, ", "))
	default:
		w.find("904", at, was, is, "what makes an item unique changes: lists that were valid may hold duplicates now")
	}
}

// keys compares the keys of a map list.
func (w *walk) keys(old, new *schema, at spot) {
	narrowed := slices.ContainsFunc(old.mapKeys, func(key string) bool { return !slices.Contains(new.mapKeys, key) })
	if !narrowed {
		w.find("905", at, old.mapKeys, new.mapKeys,
			"more keys make an item unique: after an apply, items may stay that differ in the new key, owned by nobody")
		return
	}
	w.find("906", at, old.mapKeys, new.mapKeys,
		"items that are equal in %s are duplicates now: such lists can be neither made anew nor applied by server-side apply",
		strings.Join(new.mapKeys, ", "))
}

func (s *schema) topologyText() string {
	if s.listType == "map" {
		return "map by " + strings.Join(s.mapKeys, ", ")
	}
	return s.listType
}

// describe says in a few words what a node is.
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
