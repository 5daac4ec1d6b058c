// SPDX-License-Identifier: Apache-2.0

package ownership

import "time"

// input is one call of Decide. Options modify its zero value.
type input struct {
	want     Want
	observed Observed
	ledger   Ledger
	endpoint Endpoint
}

func (i input) decide() Decision {
	return Decide(i.want, i.observed, i.ledger, i.endpoint, testNow)
}

type option func(*input)

// given returns an ensured domain without a typed reference at a verified endpoint, without records
// and without observations.
func given(options ...option) input {
	i := input{
		want:     Want{Slot: testSlot, Policy: PolicyDelete, Retained: testRetained},
		endpoint: Endpoint{Name: "Takaro at https://takaro.example", Verified: true, LeaderSince: testNow.Add(-time.Hour)},
	}
	i.observed.Live = true
	for _, o := range options {
		o(&i)
	}
	return i
}

func (i input) with(options ...option) input {
	for _, o := range options {
		o(&i)
	}
	return i
}

func deleting(i *input) {
	i.want.Delete, i.want.LetGo = true, "kubectl patch domains.takaro.roadstead.dev d"
}
func cached(i *input)        { i.observed.Live = false }
func adopting(i *input)      { i.want.Adopt, i.want.Name = true, testName }
func typed(i *input)         { i.want.Name = testName }
func incomplete(i *input)    { i.observed.Incomplete = true }
func policy(p Policy) option { return func(i *input) { i.want.Policy = p } }
func gone(since time.Duration) option {
	return func(i *input) { i.observed.GoneSince = testNow.Add(-since) }
}

func unverified(i *input) {
	i.endpoint.Verified, i.endpoint.Reason = false, ReasonHeldByOther
	i.endpoint.Message = "Another installation writes there. To take over, run: kubectl annotate …"
}

// intended records an intent of the given age, after the given number of removals.
func intended(age time.Duration, tries int32) option {
	return func(i *input) {
		i.ledger = i.ledger.Intend(testSlot, testNow.Add(-age))
		i.ledger[len(i.ledger)-1].Tries = tries
	}
}

func held(id string, origin Origin) option {
	return func(i *input) { i.ledger = i.ledger.Hold(testSlot, id, origin, testNow.Add(-48*time.Hour)) }
}

func lost(id string, origin Origin) option {
	return func(i *input) {
		held(id, origin)(i)
		i.ledger = i.ledger.Lose(testSlot, testNow.Add(-time.Hour))
	}
}

// listed marks the list as complete and adds the objects.
func listed(objects ...Object) option {
	return func(i *input) {
		list := List{Objects: objects, Rows: 7, Total: 7}
		if i.observed.List != nil {
			list.Objects = append(list.Objects, i.observed.List.Objects...)
		}
		i.observed.List = &list
	}
}

func short(i *input) { i.observed.List = &List{Rows: 100, Total: 500} }

// read adds the response to a read by ID; without an object it is 404.
func read(id string, objects ...Object) option {
	return func(i *input) {
		answer := Read{ID: id}
		if len(objects) > 0 {
			answer.Object = &objects[0]
		}
		i.observed.Reads = append(i.observed.Reads, answer)
	}
}

// domain returns a Takaro domain: its reference is also its name in the spec.
func domain(id, reference string) Object {
	return Object{ID: id, Reference: reference, Name: reference}
}

func used(o Object) Object {
	o.Used = true
	return o
}
