// SPDX-License-Identifier: Apache-2.0

package sandbox

import "time"

// The limits of one piece of work. Each applies to one child.
const (
	// MaxResult is the maximum total size of the objects of a result in bytes, as JSON.
	MaxResult = 16 << 20
	// MaxObjects is the maximum number of objects in a result.
	MaxObjects = 1000
	// MaxRequest is the maximum size of a request in bytes, as JSON.
	MaxRequest = 64 << 20
	// MaxMemory is the maximum writable memory of a child in bytes (RLIMIT_DATA).
	MaxMemory = 512 << 20
	// MaxTime is the maximum duration and CPU time of a child.
	MaxTime = time.Minute
)

const (
	// softMemory is the memory limit of the Go runtime of a child, above which garbage collection becomes more frequent.
	softMemory = 400 << 20
	// maxStack stops a recursion before it exhausts the memory.
	maxStack = 64 << 20
	// maxThreads is far more than two processors need.
	maxThreads = 100
	// maxFiles includes the descriptors that the Go runtime uses to wait for timers.
	maxFiles = 16
	// processors is the number of threads of a child that run Go code at the same time.
	processors = 2
	// children is the number of children that run at the same time.
	children = 2
	// maxLookups is the maximum number of lookups of one piece of work.
	maxLookups = 1000
	// maxAnswer is the maximum size of the question or the answer of a lookup in bytes.
	maxAnswer = 4 << 20
	// maxText is the maximum length of a refusal in characters.
	maxText = 4000
	// maxStderr is the maximum number of bytes of standard error in the log.
	maxStderr = 4 << 10
	// overhead is the size of a frame in addition to its object, question or text.
	overhead = 64 << 10
	// grace is the time after the child's own time limit until the parent kills it.
	grace = 2 * time.Second
)

// limits are the limits that a child sets for itself. Tests use smaller ones.
type limits struct {
	data     uint64        // bytes of writable memory
	cpu      uint64        // seconds of CPU time
	duration time.Duration // time until the child exits by itself
}

func defaultLimits() limits {
	return limits{data: MaxMemory, cpu: uint64(MaxTime.Seconds()), duration: MaxTime}
}
