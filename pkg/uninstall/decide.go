// SPDX-License-Identifier: Apache-2.0

package uninstall

import "fmt"

// storePlace is where an installation stores its objects.
type storePlace string

const (
	// noStore: the location is not known.
	noStore storePlace = ""
	// embedded in the server, on a volume.
	embedded storePlace = "embedded"
	// external: an etcd that is not part of the installation.
	external storePlace = "external"
)

// knowledge is what is known of user objects.
type knowledge string

const (
	// none: no objects are stored.
	none knowledge = "none"
	// some: objects are stored.
	some knowledge = "some"
	// unknown: the store could not be read.
	unknown knowledge = "unknown"
)

// keeping contains the reasons why parts of the installation are kept. A part with the reason "" is
// removed.
type keeping struct {
	// volumes are those of an embedded store.
	volumes string
	// store contains the objects that are needed to read and identify a store that is kept.
	store string
	// passwords is the key from which generated passwords are derived.
	passwords string
	// redis is the login and the volume of the Redis that is part of the installation.
	redis string
}

// verdict is the decision that follows from a survey.
type verdict struct {
	// refusal is why nothing is done, or "" to continue.
	refusal string
	// unknown is set if the command refuses because it is not known what is stored.
	unknown bool
	// act is set if there are objects to process first.
	act  bool
	keep keeping
	mark mark
}

// decide is a pure function of the mode and the survey.
func decide(how mode, s *survey) verdict {
	stored := s.stored()
	answered := s.answered()
	var v verdict
	switch {
	case stored == unknown && how != strip:
		v.unknown = true
		v.refusal = "it is not known whether objects are stored, since " + s.whyUnknown()
		return v
	case stored == some && answered && how == refuse:
		v.refusal = fmt.Sprintf("%s of users", plural(len(s.ofUsers())+len(s.unlisted()), "object"))
		return v
	case stored == some && answered && how != strip && len(s.unlisted()) > 0:
		first := s.unlisted()[0]
		v.refusal = fmt.Sprintf("%s cannot delete %s that the API does not list, for example %s.%s %s. Their kind is not served, or they "+
			"cannot be read: check --runtime-config of the server and Secret %s", how, plural(len(s.unlisted()), "stored object"),
			first.Resource, first.Group, object{namespace: first.Namespace, name: first.Name}.place(), encryptionSecret)
		return v
	case stored == some && !answered && (how == deleteAll || how == orphan):
		v.refusal = fmt.Sprintf("%s cannot be done any more: objects are stored, but an earlier run has removed the API with %s. "+
			"Without a flag their store is kept; to deal with them install Roadstead again", how, strip)
		return v
	}
	// Without user objects there may still be records of an interrupted run.
	v.act = answered && (how == deleteAll || how == orphan && stored == some)
	if v.act {
		stored = none // after they were processed
	}
	v.mark = mark{stored: stored, place: s.place(), workloads: s.workloads, orphaned: how == orphan ||
		(s.earlier.valid(s) && s.earlier.orphaned)}
	v.keep = keep(v.mark)
	return v
}

// keep returns why parts of the installation are kept.
func keep(m mark) keeping {
	const stored = "objects are or may be stored, and a new installation needs it to serve them again"
	k := keeping{}
	switch {
	case m.stored != none:
		return keeping{volumes: stored, store: stored, passwords: stored, redis: stored}
	case m.place == external:
		k.store = "a new installation that uses the same etcd needs it. To forget that store delete this, and in etcd what lies below " +
			"/registry/roadstead.dev/"
	case m.place == noStore:
		k.store = "nothing tells where the store is, and if there is one it needs this. If there is none, delete it"
		k.passwords = k.store
	}
	if m.orphaned {
		k.redis = "the mock game servers that were left save their states with it. If there are none, delete it"
		k.passwords = "a new installation derives the passwords of the users that were left in Takaro from it. If there will be none, delete it"
	}
	return k
}

// stored returns what is known of user objects.
func (s *survey) stored() knowledge {
	mayHold := s.volumes || s.record
	switch {
	case s.answered() && len(s.ofUsers())+len(s.unlisted()) > 0:
		return some
	case s.answered():
		return none
	case len(s.apiServices) == 0 && s.earlier.valid(s):
		return s.earlier.stored.orSome()
	case len(s.apiServices) == 0 && s.workload == noStore && !s.volumes:
		return none // everything that could have been removed with them no longer exists
	case mayHold:
		return unknown
	default:
		return none // the server never stored anything
	}
}

// orSome treats what an earlier run did not know as stored.
func (k knowledge) orSome() knowledge {
	if k == none {
		return none
	}
	return some
}

func (s *survey) whyUnknown() string {
	if s.unanswered != nil {
		return fmt.Sprintf("the server does not answer (%v)", s.unanswered)
	}
	if len(s.apiServices) > 0 {
		return "the inventory of the store was not read to its end"
	}
	return "no APIService leads to the server"
}

// place returns where the store is: from the running workloads, or else from the volumes, or else
// from an earlier run.
func (s *survey) place() storePlace {
	switch {
	case s.workload != noStore:
		return s.workload
	case s.volumes:
		return embedded
	case s.earlier.valid(s):
		return s.earlier.place
	default:
		return noStore
	}
}

// plural returns a number with a noun whose plural ends in s.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
