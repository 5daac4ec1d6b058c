// SPDX-License-Identifier: Apache-2.0

package structure

// object compares what an object keeps: declared properties, map values, or everything.
func (w *walk) object(old, new *schema, at spot) {
	w.embedded(old, new, at)
	w.unknown(old, new, at)
	if old.mapType != new.mapType {
		if new.mapType == "atomic" {
			w.find("907", at, old.mapType, new.mapType,
				"the map has a single owner now: managers that own different keys conflict in server-side apply")
		} else {
			w.find("910", at, old.mapType, new.mapType, "each key has its own owner now: keys that were removed from a manifest may remain")
		}
	}
	w.removed(old, new, at)
	w.added(old, new, at)
	w.additional(old, new, at)
	for _, name := range sortedKeys(old.properties) {
		was, is := old.properties[name], new.properties[name]
		if is == nil {
			continue
		}
		next := at.property(name, old, new)
		if old.embedded && new.embedded && isMetadata(name) {
			w.metadata(was, is, next)
			continue
		}
		w.node(was, is, next)
	}
	w.required(old, new, at)
}

// isMetadata reports whether a key of a resource is kept regardless of its schema.
func isMetadata(name string) bool {
	return name == "apiVersion" || name == "kind" || name == "metadata"
}

// metadata compares the conditions on apiVersion, kind and metadata of a resource. Nothing of them is pruned.
func (w *walk) metadata(old, new *schema, at spot) {
	w.values(old, new, at)
	w.conditions(old, new, at)
	for _, name := range []string{"name", "generateName"} {
		if is := new.properties[name]; is != nil {
			was := old.properties[name]
			if was == nil {
				was = &schema{types: typeString}
			}
			w.values(was, is, at.property(name, old, new))
		}
	}
}

// embedded compares whether the object is a complete resource.
func (w *walk) embedded(old, new *schema, at spot) {
	switch {
	case at.root || old.embedded == new.embedded:
	case new.embedded:
		w.find("805", at, false, true, "objects whose value is not a complete resource (apiVersion, kind, metadata) can no longer be "+
			"updated at all, and even their finalizers cannot be removed")
	default:
		w.find("806", at, true, false, "the value need not be a complete resource any more; after a rollback, objects with other "+
			"values cannot be updated")
	}
}

// unknown compares whether undeclared keys are kept.
func (w *walk) unknown(old, new *schema, at spot) {
	switch {
	case old.preserve == new.preserve:
	case new.preserve && old.additional == nil && !old.anyValue && len(old.properties) == 0:
		w.find("802", at, false, true, "undeclared keys are kept now; a rollback prunes them")
	case new.preserve:
		if len(missing(old, new)) == 0 && old.additional == nil {
			w.find("802", at, false, true, "undeclared keys are kept now; a rollback prunes them")
		}
	case new.additional.keepsAll():
		// Every key is still kept, now as a map entry.
	case at.item:
		w.find("215", at, true, false, "undeclared keys of the list items are pruned from stored objects at the next read")
	default:
		w.find("801", at, true, false, "undeclared keys are pruned from stored objects at the next read")
	}
}

// keepsAll reports whether a node accepts and keeps any value.
func (s *schema) keepsAll() bool { return s != nil && s.anything() }

// keepsUndeclared reports whether undeclared keys are kept.
func (s *schema) keepsUndeclared() bool { return s.preserve || s.additional != nil || s.anyValue }

// missing returns the declared properties of old that new does not declare.
func missing(old, new *schema) []string {
	var names []string
	for _, name := range sortedKeys(old.properties) {
		kept := new.properties[name] != nil && !new.properties[name].undeclared || new.embedded && isMetadata(name)
		if !kept && !old.properties[name].undeclared {
			names = append(names, name)
		}
	}
	return names
}

// removed compares properties that are no longer declared.
func (w *walk) removed(old, new *schema, at spot) {
	for _, name := range missing(old, new) {
		next := at.property(name, old, new)
		was := old.properties[name]
		switch {
		case new.preserve && new.additional == nil:
			w.find("112", next, was.describe(), nil,
				"the field is kept but no longer validated: its type, its defaults and its owners in server-side apply are lost")
		case new.additional != nil:
			w.find("208", next, was.describe(), new.additional.describe(),
				"the field is a map entry now: readers that decode a struct do not see it")
			w.node(was, new.additional, next)
		case new.anyValue && !was.holdsKeys(0):
			w.find("208", next, was.describe(), "anything", "the field is a map entry now: readers that decode a struct do not see it")
		default:
			w.gone(old, new, name, next)
		}
	}
}

// gone reports a field that is pruned.
func (w *walk) gone(old, new *schema, name string, at spot) {
	was := old.properties[name]
	alike := lookalike(old, new, name)
	id := "101"
	switch {
	case new.required[name]:
		id = "102"
	case alike != "":
		id = "111"
	case embeddedMetadata(name, was, at):
		id = "807"
	case old.required[name]:
		id = "113"
	case was.types == typeObject && len(was.properties) > 0:
		id = "119"
	}
	finding := w.find(id, at, was.describe(), nil, "the field is pruned from stored objects at the next read and lost permanently "+
		"at the next write; server-side apply of manifests that set it fails")
	if alike != "" {
		finding.Message += "; looks like a rename to " + alike
		finding.FixHint = "It looks like a rename to " + alike + ". " + finding.FixHint
		finding.New = alike
	}
}

// objectMeta are the metadata fields that templates of resources set.
var objectMeta = setOf([]string{"name", "generateName", "namespace", "labels", "annotations", "finalizers", "ownerReferences"})

// embeddedMetadata reports whether a field belongs to the metadata of a resource, or of a resource template, within an object.
func embeddedMetadata(name string, was *schema, at spot) bool {
	if name == "metadata" {
		for field := range was.properties {
			if objectMeta[field] {
				return true
			}
		}
		return false
	}
	return lastBelow(at) == "metadata" && objectMeta[name]
}

// lastBelow returns the name of the property that contains the property at a spot.
func lastBelow(at spot) string {
	path := at.path
	end := len(path)
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '.' {
			if end != len(path) {
				return path[i+1 : end]
			}
			end = i
		}
	}
	return ""
}

// added compares properties that are declared now and were not declared before.
func (w *walk) added(old, new *schema, at spot) {
	for _, name := range sortedKeys(new.properties) {
		is := new.properties[name]
		if was := old.properties[name]; was != nil && !was.undeclared || is.undeclared || new.embedded && isMetadata(name) {
			continue
		}
		next := at.property(name, old, new)
		switch {
		case old.additional != nil:
			w.node(old.additional, is, next)
		case old.preserve || old.anyValue:
			w.typed(is, next)
		case new.required[name]:
			// Reported by required.
		case is.defaults:
			w.find("607", next, nil, is.fallback, "every object that sets the parent gets the default %s at its next read", shownWhole(is.fallback))
		case is.types == typeArray && is.items != nil && len(is.items.required) > 0:
			w.find("117", next, nil, is.describe(), "a new optional list; a rollback prunes it")
		case len(is.required) > 0:
			w.find("107", next, nil, is.describe(), "a new optional object; a rollback prunes it")
		default:
			w.find("120", next, nil, is.describe(), "a new optional field; a rollback prunes it")
		}
	}
}

// typed reports a property, or the values of a map, that are declared where anything was kept before.
// The value of a single property may well have been a scalar. Among all keys of an unrestricted object,
// objects are likely, and they lose their undeclared keys.
func (w *walk) typed(is *schema, at spot) {
	if is.anything() {
		return
	}
	finding := w.find("115", at, "anything", is.describe(),
		"values stored under this key were never validated: values that are not of type %s become invalid", is.types)
	if is.prunes(0) || at.value && !is.preserve {
		finding.MarkPruned()
		finding.Message += ", and undeclared keys below it are pruned"
	}
}

// prunes reports whether a value of one of the node's types may lose keys.
func (s *schema) prunes(depth int) bool {
	if s == nil || s.preserve || depth > depthLimit {
		return false
	}
	if s.types.has(typeObject) {
		return s.additional == nil || s.additional.prunes(depth+1)
	}
	return s.types.has(typeArray) && s.items.prunes(depth+1)
}

// additional compares map values.
func (w *walk) additional(old, new *schema, at spot) {
	switch {
	case old.additional != nil && new.additional != nil:
		w.node(old.additional, new.additional, at.values(new))
	case old.additional != nil && new.preserve:
		w.find("112", at.values(new), old.additional.describe(), nil, "entries of the map are kept but no longer validated")
	case old.additional != nil && new.anyValue:
		finding := w.find("208", at.values(new), old.additional.describe(), "anything",
			"map values may have any type: readers may receive types that they cannot decode")
		if old.additional.holdsKeys(0) {
			finding.MarkPruned()
			finding.Message = "keys of objects in the map are pruned from stored objects, because additionalProperties: true declares " +
				"nothing below it"
		}
	case old.additional != nil || old.anyValue && new.additional == nil && !new.anyValue && !new.preserve:
		w.find("209", at, "a map", new.describe(),
			"undeclared entries of stored maps are pruned at the next read and lost permanently at the next write")
	case old.preserve && new.preserve && new.additional != nil && !new.additional.anything():
		w.typed(new.additional, at.values(new))
	case old.anyValue && new.additional != nil && new.additional.types != anyType:
		w.find("211", at.values(new), "anything", new.additional.describe(),
			"stored values of other types are invalid, and writers that send them are rejected")
	}
}
