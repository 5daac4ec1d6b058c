// SPDX-License-Identifier: Apache-2.0

package sandbox

import "time"

// The limits of one piece of work. All of them hold for one child.
const (
	// MaxResult is how many bytes the objects of a result have together, as JSON.
	MaxResult = 16 << 20
	// MaxObjects is how many objects a result has.
	MaxObjects = 1000
	// MaxRequest is how many bytes a request has, as JSON.
	MaxRequest = 64 << 20
	// MaxMemory is how much writable memory a child has, in bytes (RLIMIT_DATA).
	MaxMemory = 512 << 20
	// MaxTime is how long a child works, and how much CPU time it uses.
	MaxTime = time.Minute
)

const (
	// softMemory is where the garbage collector of a child begins to work harder.
	softMemory = 400 << 20
	// maxStack bounds a recursion before it uses up the memory.
	maxStack = 64 << 20
	// maxThreads is far above what two processors need.
	maxThreads = 100
	// maxFiles includes the descriptors with which the Go runtime waits for timers.
	maxFiles = 16
	// processors is how many threads of a child run Go code at the same time.
	processors = 2
	// children is how many of them run at the same time.
	children = 2
	// maxLookups is how many lookups one piece of work may make.
	maxLookups = 1000
	// maxAnswer is how many bytes the question or the answer of a lookup has.
	maxAnswer = 4 << 20
	// maxText is how many characters of a refusal are taken.
	maxText = 4000
	// maxStderr is how many bytes of standard error go to the log.
	maxStderr = 4 << 10
	// overhead is what a frame has around its object, question or text.
	overhead = 64 << 10
	// grace is how much later than a child itself its parent ends it.
	grace = 2 * time.Second
)

// limits are those that a child sets for itself. Tests use smaller ones.
type limits struct {
	data     uint64        // bytes of writable memory
	cpu      uint64        // seconds of CPU time
	duration time.Duration // time until the child exits by itself
}

func defaultLimits() limits {
	return limits{data: MaxMemory, cpu: uint64(MaxTime.Seconds()), duration: MaxTime}
}
