// SPDX-License-Identifier: Apache-2.0

package base

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"

	"roadstead.dev/roadstead/pkg/util/text"
)

// Emit emits an event of a type about an object, with at most MaxNote bytes of the message. The API server refuses longer
// messages, and the recorder drops a refused event. related may be nil.
func Emit(recorder events.EventRecorder, about, related runtime.Object, kind, reason, message string) {
	recorder.Eventf(about, related, kind, reason, EventAction, "%s", text.Bytes(message, MaxNote))
}
