// SPDX-License-Identifier: Apache-2.0

package gate

import "slices"

// condition is a cause that is evaluated for each request.
type condition struct {
	cause   string
	current func() string
}

// Condition refuses each request, for every resource, while current returns a message, as if the
// gate were closed for All with this message. It is for causes that can occur at any time, for
// example when a Lease expires between two checks. current is called concurrently, for each request
// that no closed cause refuses, so it must be fast. It replaces an earlier condition of the same
// cause; nil removes it. Open does not affect it, and the metric counts only closed causes.
func (g *Gate) Condition(cause string, current func() string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	// The slice is copied, because requests iterate over the old one without the lock.
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
