// SPDX-License-Identifier: Apache-2.0

package check

import "testing"

func TestRestarted(t *testing.T) {
	pod := Pod{Namespace: "ns", Name: "game-0", UID: "1"}
	replaced, again := pod, pod
	replaced.UID, again.Restarts = "2", 1
	one(t, "", Restarts, Restarted(nil, nil))
	one(t, "", Restarts, Restarted([]Pod{pod}, []Pod{pod}))
	one(t, "pod ns/game-0 was replaced", Restarts, Restarted([]Pod{pod}, []Pod{replaced}))
	one(t, "pod ns/game-0 was started again", Restarts, Restarted([]Pod{pod}, []Pod{again}))
	one(t, "pod ns/game-0 is gone", Restarts, Restarted([]Pod{pod}, nil))
	one(t, "pod ns/game-0 is new", Restarts, Restarted(nil, []Pod{pod}))
}
