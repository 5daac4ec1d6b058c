// SPDX-License-Identifier: Apache-2.0

package base

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/events"
)

// The API server refuses longer messages, and the recorder drops a refused event.
func TestReporter_LongMessages(t *testing.T) {
	recorder := events.NewFakeRecorder(2)
	reporter := Reporter[*corev1.Secret]{Recorder: recorder}
	reporter.Warn(&corev1.Secret{}, "Failed", "%s", strings.Repeat("ä", 1000))
	reporter.Note(&corev1.Secret{}, "Done", "100%% of %s", "it")
	warning := <-recorder.Events
	assert.LessOrEqual(t, len(warning), len("Warning Failed ")+MaxNote)
	assert.Greater(t, len(warning), MaxNote-10)
	assert.Equal(t, "Normal Done 100% of it", <-recorder.Events)
}
