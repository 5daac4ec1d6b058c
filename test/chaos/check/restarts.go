// SPDX-License-Identifier: Apache-2.0

package check

// Pod is the state of a pod of a run.
type Pod struct {
	Namespace, Name, UID string
	// Restarts is the number of restarts of its containers.
	Restarts int
}

// Restarted returns a violation for each pod that was added, removed, replaced or restarted between
// two lists of pods. It is for a time without faults and changes.
func Restarted(before, after []Pod) []Violation {
	was := map[string]Pod{}
	for _, pod := range before {
		was[pod.Namespace+"/"+pod.Name] = pod
	}
	var found []Violation
	for _, pod := range after {
		name := pod.Namespace + "/" + pod.Name
		old, known := was[name]
		delete(was, name)
		switch {
		case !known:
			found = append(found, breach(Restarts, "pod %s is new, though nothing asked for it", name))
		case pod.UID != old.UID:
			found = append(found, breach(Restarts, "pod %s was replaced, though nothing was wrong with it", name))
		case pod.Restarts != old.Restarts:
			found = append(found, breach(Restarts, "pod %s was started again, though nothing was wrong with it", name))
		}
	}
	for name := range was {
		found = append(found, breach(Restarts, "pod %s is gone, though nothing asked for that", name))
	}
	return found
}
