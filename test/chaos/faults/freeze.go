// SPDX-License-Identifier: Apache-2.0

package faults

import (
	"context"
	"syscall"

	"roadstead.dev/roadstead/test/chaos/plan"
	"roadstead.dev/roadstead/test/chaos/world"
)

// A frozen program is disconnected without noticing it, and its clock has jumped when it continues.
// A controller that was the leader still considers itself the leader.

func freezeServer(_ context.Context, w *world.World, fault plan.Fault) (injected, error) {
	return freeze(pick(w.Servers(), fault))
}

func freezeController(_ context.Context, w *world.World, fault plan.Fault) (injected, error) {
	return freeze(pick(w.Controllers(), fault))
}

func freeze(k *world.Kept) (injected, error) {
	return freezeProcess(k.Name(), k.PID())
}

func freezeEtcd(_ context.Context, w *world.World, fault plan.Fault) (injected, error) {
	member := pick(w.Store.Members(), fault)
	return freezeProcess(member.Name(), member.PID())
}

func freezeProcess(name string, pid int) (injected, error) {
	if pid == 0 {
		return injected{}, syscall.ESRCH
	}
	return injected{what: name + " is frozen", heal: func(context.Context) error {
		if err := syscall.Kill(pid, syscall.SIGCONT); err != nil && err != syscall.ESRCH {
			return err
		}
		return nil
	}}, syscall.Kill(pid, syscall.SIGSTOP)
}
