// SPDX-License-Identifier: Apache-2.0

package install

import (
	"time"

	"roadstead.dev/roadstead/test/framework/process"
)

// A program that ends by itself is restarted after firstPause. Each pause is twice as long as the one before, up to lastPause,
// until it has run for longRun.
const (
	firstPause = 200 * time.Millisecond
	lastPause  = 2 * time.Second
	longRun    = 5 * time.Second
)

// beginRestarts starts the program again each time its process ends, as kubelet does, until endRestarts is called.
func (p *Program) beginRestarts(run process.Options) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	p.stopRestarts = func() {
		close(stop)
		<-stopped
	}
	go func() {
		defer close(stopped)
		for pause := firstPause; ; pause = min(2*pause, lastPause) {
			begin := time.Now()
			select {
			case <-stop:
				return
			case <-p.current().Done():
			}
			if time.Since(begin) > longRun {
				pause = firstPause
			}
			select {
			case <-stop:
				return
			case <-time.After(pause):
			}
			// A start that fails leaves the ended process in place, so it is tried again.
			if started, err := process.Start(run); err == nil {
				p.mu.Lock()
				p.process = started
				p.mu.Unlock()
			}
		}
	}()
}

// endRestarts returns when the program is not restarted any more.
func (p *Program) endRestarts() {
	if p.stopRestarts != nil {
		p.stopRestarts()
		p.stopRestarts = nil
	}
}
