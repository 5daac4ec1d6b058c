// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// FaultKind is a kind of fault.
type FaultKind string

// The kinds of faults.
const (
	// KillServer, KillController, KillEtcd and KillHost (kube-apiserver) end a program with SIGKILL.
	// It is restarted when the fault ends.
	KillServer     FaultKind = "kill-server"
	KillController FaultKind = "kill-controller"
	KillEtcd       FaultKind = "kill-etcd"
	KillHost       FaultKind = "kill-kube-apiserver"
	// Drop holds back all packets between a pair of programs, Latency delays each of them, and Cut
	// ends their connections.
	Drop    FaultKind = "drop"
	Latency FaultKind = "latency"
	Cut     FaultKind = "cut"
	// Takaro makes Takaro fail or return invalid responses.
	Takaro FaultKind = "takaro"
	// TakaroClock makes the clock of Takaro jump.
	TakaroClock FaultKind = "takaro-clock"
	// TakaroTruncate makes searches in Takaro return only some of the rows. TakaroEndless makes
	// responses not end, or outlast the client.
	TakaroTruncate FaultKind = "takaro-truncate"
	TakaroEndless  FaultKind = "takaro-endless"
	// TakaroForget replaces the database of Takaro by another one until the fault ends.
	TakaroForget FaultKind = "takaro-forget"
	// TakaroRollBack restores the database of Takaro at its end to the state at its beginning.
	TakaroRollBack FaultKind = "takaro-roll-back"
	// Stranger creates a foreign domain under the reference that a Domain specifies.
	Stranger FaultKind = "stranger"
	// GiveAway changes the reference of a domain that a Domain owns, as another client would.
	GiveAway FaultKind = "give-away"
	// LoseSecret deletes a Secret with a login, or the seed of generated passwords.
	LoseSecret FaultKind = "lose-secret"
	// The Freeze kinds stop a program for longer than the duration of its Leases. To the program,
	// time jumps when it continues.
	FreezeController FaultKind = "freeze-controller"
	FreezeServer     FaultKind = "freeze-server"
	FreezeEtcd       FaultKind = "freeze-etcd"
	// ExchangeEtcd redirects API servers to an empty etcd, RollBackEtcd to an older copy of their
	// store, until the fault ends.
	ExchangeEtcd FaultKind = "exchange-etcd"
	RollBackEtcd FaultKind = "roll-back-etcd"
	// SecondLeader starts a controller that works without holding the Lease.
	SecondLeader FaultKind = "second-leader"
	// UpgradeServers and UpgradeControllers replace all replicas of a program one by one.
	UpgradeServers     FaultKind = "upgrade-servers"
	UpgradeControllers FaultKind = "upgrade-controllers"
)

// times are the minimum duration of each kind and the maximum random addition to it.
var times = map[FaultKind][2]time.Duration{
	KillServer: {1 * time.Second, 5 * time.Second}, KillController: {1 * time.Second, 8 * time.Second},
	KillEtcd: {3 * time.Second, 5 * time.Second}, KillHost: {1 * time.Second, 4 * time.Second},
	Drop: {3 * time.Second, 9 * time.Second}, Latency: {5 * time.Second, 5 * time.Second}, Cut: {time.Second, time.Second},
	Takaro: {4 * time.Second, 8 * time.Second}, TakaroClock: {5 * time.Second, 5 * time.Second},
	TakaroTruncate: {4 * time.Second, 8 * time.Second}, TakaroEndless: {4 * time.Second, 6 * time.Second},
	TakaroForget: {5 * time.Second, 7 * time.Second}, TakaroRollBack: {5 * time.Second, 7 * time.Second},
	Stranger: {5 * time.Second, 7 * time.Second}, GiveAway: {8 * time.Second, 6 * time.Second},
	LoseSecret:       {6 * time.Second, 4 * time.Second},
	FreezeController: {22 * time.Second, 4 * time.Second}, FreezeServer: {5 * time.Second, 10 * time.Second},
	FreezeEtcd: {3 * time.Second, 5 * time.Second}, SecondLeader: {8 * time.Second, 8 * time.Second},
	ExchangeEtcd: {5 * time.Second, 7 * time.Second}, RollBackEtcd: {5 * time.Second, 7 * time.Second},
	UpgradeServers: {time.Second, time.Second}, UpgradeControllers: {time.Second, time.Second},
}

// Kinds returns all kinds of faults, sorted by name.
func Kinds() []FaultKind {
	var all []FaultKind
	for kind := range times {
		all = append(all, kind)
	}
	slices.Sort(all)
	return all
}

// Fault is one fault.
type Fault struct {
	// At is the start, and For the duration.
	At, For time.Duration
	Kind    FaultKind
	// Pick selects the target: the replica, the pair, the failure of Takaro.
	Pick uint32
}

// String returns a description for users.
func (f Fault) String() string { return fmt.Sprintf("%s (pick %d)", f.Kind, f.Pick) }

// pause is the mean time between two faults, in which the installation can recover.
const pause = 4 * time.Second

// together is how many of ten faults start while the previous one is active.
const together = 2

// handover is how long no controller may write after the leader was killed or frozen: its Lease
// expires, and the next leader takes over the anchor in Takaro when it has been unchanged for 30 s.
// A second fault of these kinds within that time would affect only controllers that wait.
const handover = 45 * time.Second

// ofLeaders are the kinds after which another process must take over the anchor.
var ofLeaders = []FaultKind{KillController, FreezeController, SecondLeader}

func ofLeader(kind FaultKind) bool { return slices.Contains(ofLeaders, kind) }

// next returns the index of the first kind that may start. If none may, the first one has to wait.
func next(kinds []FaultKind, leaderMay bool) int {
	return max(0, slices.IndexFunc(kinds, func(kind FaultKind) bool { return leaderMay || !ofLeader(kind) }))
}

// faults draws faults in rounds, each of which contains every kind once, so that a short run
// includes many kinds. The last faults end with the plan, so that the recovery from each is
// observed.
func faults(random *rand.Rand, options Options) []Fault {
	kinds := options.Faults
	if len(kinds) == 0 {
		kinds = Kinds()
	}
	var all []Fault
	at, free := calm, calm // free is when a fault may affect the leader again
	for {
		round := slices.Clone(kinds)
		random.Shuffle(len(round), func(i, j int) { round[i], round[j] = round[j], round[i] })
		for len(round) > 0 {
			i := next(round, at >= free)
			kind := round[i]
			round = slices.Delete(round, i, i+1)
			span := times[kind]
			if ofLeader(kind) {
				at = max(at, free)
				free = at + span[0] + span[1] + handover
			}
			fault := Fault{At: at, For: span[0] + time.Duration(random.Int64N(int64(span[1]))), Kind: kind, Pick: random.Uint32()}
			if fault.At+fault.For > options.Length {
				return all
			}
			all = append(all, fault)
			if random.IntN(10) < together {
				at += fault.For / 2
			} else {
				at += fault.For + spread(random, pause)
			}
		}
	}
}
