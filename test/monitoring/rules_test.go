// SPDX-License-Identifier: Apache-2.0

package monitoring

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestEveryAlertSaysWhatItIs checks that every alert has a severity, a summary, a description and a
// runbook. Another test checks that the page of the runbook exists.
func TestEveryAlertSaysWhatItIs(t *testing.T) {
	names := map[string]bool{}
	for _, rule := range loadAlerts(t) {
		name := rule.Alert
		assert.Truef(t, strings.HasPrefix(name, "Roadstead"), "%s is not recognizably ours", name)
		assert.Falsef(t, names[name], "two alerts are called %s", name)
		names[name] = true
		assert.Contains(t, []string{"critical", "warning"}, rule.Labels["severity"], name)
		assert.Len(t, rule.Labels, 1, name)
		assert.Regexp(t, `\.$`, rule.Annotations["summary"], name)
		assert.Regexp(t, `\.$`, rule.Annotations["description"], name)
		assert.Greater(t, len(rule.Annotations["description"]), len(rule.Annotations["summary"]), name)
		assert.Len(t, rule.Annotations, 3, name)
	}
}
