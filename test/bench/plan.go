// SPDX-License-Identifier: Apache-2.0

package main

import "time"

// plan is how much is done.
type plan struct {
	// Objects is the number of Users of each way, made in Turns turns by Workers clients at once.
	Objects, Turns, Workers int
	// Rounds is how often the ways take turns in the other measures.
	Rounds int
	// Singles is the number of requests of a turn of one client, and Writes and Reads those of a turn of many.
	Singles, Writes, Reads int
	// Lists is how many lists are in a turn.
	Lists int
	// Watchers are spread over Places namespaces, and see Rate updates a second for Watching in each turn.
	Watchers, Places, Rate int
	Watching               time.Duration
	// Starts is how often the server is started, Resting how long the controller is looked at, and Settling how long it may
	// take to make all Users.
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
