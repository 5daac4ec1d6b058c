// SPDX-License-Identifier: Apache-2.0

package monitoring

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestEveryAlertSaysWhatItIs: how urgent, in short, at length, and where to read on. Whether that page exists is tested with the
// other pages.
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
