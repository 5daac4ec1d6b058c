// SPDX-License-Identifier: Apache-2.0

package install

import (
	"time"

	"roadstead.dev/roadstead/test/framework/process"
)

// A program that exits on its own is restarted after firstPause. Each pause is twice as long as the
// previous one, up to lastPause, until the program has run for longRun.
const (
	firstPause = 200 * time.Millisecond
	lastPause  = 2 * time.Second
	longRun    = 5 * time.Second
)

// beginRestarts restarts the program each time its process exits, as kubelet does, until
// endRestarts is called.
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
			// A failed start leaves the exited process in place, so the start is retried.
			if started, err := process.Start(run); err == nil {
				p.mu.Lock()
				p.process = started
				p.mu.Unlock()
			}
		}
	}()
}

// endRestarts stops the restarts and waits until they have stopped.
func (p *Program) endRestarts() {
	if p.stopRestarts != nil {
		p.stopRestarts()
		p.stopRestarts = nil
	}
}
