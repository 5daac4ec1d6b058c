// SPDX-License-Identifier: Apache-2.0

package gate

import "slices"

// condition is a cause that is judged at each request.
type condition struct {
	cause   string
	current func() string
}

// Condition refuses each request, for whatever resource, while current gives a message, as if the cause were closed for All
// with it. So nobody has to close the gate in time, for example when a Lease ends between two checks. Current is called at
// each request that no closed cause refuses, by many at the same time, so it must be quick. It replaces an earlier one of
// the same cause; nil removes it. Open does not affect it, and the metric counts closed causes only.
func (g *Gate) Condition(cause string, current func() string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	// A new slice each time: requests go through the old one without the lock.
	conditions := slices.DeleteFunc(slices.Clone(g.conditions), func(c condition) bool { return c.cause == cause })
	if current != nil {
		conditions = append(conditions, condition{cause: cause, current: current})
	}
	g.conditions = conditions
}

// unmet returns the message of the first condition that refuses, or "". It holds no lock while it calls them: a
// condition may take locks of its own and close the gate.
func (g *Gate) unmet() string {
	g.mu.RLock()
	conditions := g.conditions
	g.mu.RUnlock()
	for _, c := range conditions {
		if message := c.current(); message != "" {
			return message
		}
	}
	return ""
}
