// SPDX-License-Identifier: Apache-2.0

package user

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
)

// absenceGrace is for how long a user must be absent before one whose create was begun, though its outcome was never noted,
// is believed not to come any more.
const absenceGrace = 10 * time.Second

// absences remembers since when a user was looked for in vain.
type absences struct {
	clock clock.PassiveClock

	mu    sync.Mutex
	since map[types.UID]time.Time
}

func newAbsences(clock clock.PassiveClock) *absences {
	return &absences{clock: clock, since: map[types.UID]time.Time{}}
}

// remaining returns how much longer a user must be absent; the first call begins to count.
func (a *absences) remaining(uid types.UID) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, ok := a.since[uid]; !ok {
		a.since[uid] = a.clock.Now()
	}
	return max(0, absenceGrace-a.clock.Since(a.since[uid]))
}

func (a *absences) forget(uid types.UID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.since, uid)
}
