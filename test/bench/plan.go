// SPDX-License-Identifier: Apache-2.0

package main

import "time"

// plan is the amount of work.
type plan struct {
	// Objects is the number of Users of each way, created in Turns turns by Workers concurrent
	// clients.
	Objects, Turns, Workers int
	// Rounds is the number of turns of each way in the other measures.
	Rounds int
	// Singles is the number of requests in a turn of one client, Writes and Reads in a turn of
	// many.
	Singles, Writes, Reads int
	// Lists is the number of lists in a turn.
	Lists int
	// Watchers are distributed over Places namespaces, and receive Rate updates per second for
	// Watching in each turn.
	Watchers, Places, Rate int
	Watching               time.Duration
	// Starts is the number of starts of the server, Resting how long the controller is measured,
	// and Settling how long it may take to update all Users.
	Starts            int
	Resting, Settling time.Duration
}

var (
	wholePlan = plan{
		Objects: 10000, Turns: 10, Workers: 32, Rounds: 5, Singles: 200, Writes: 1000, Reads: 1900, Lists: 3,
		Watchers: 500, Places: 10, Rate: 200, Watching: 8 * time.Second, Starts: 5, Resting: 60 * time.Second, Settling: 8 * time.Minute,
	}
	shortPlan = plan{
		Objects: 1000, Turns: 4, Workers: 32, Rounds: 2, Singles: 50, Writes: 200, Reads: 400, Lists: 4,
		Watchers: 500, Places: 10, Rate: 200, Watching: 2 * time.Second, Starts: 3, Resting: 10 * time.Second, Settling: 90 * time.Second,
	}
)
