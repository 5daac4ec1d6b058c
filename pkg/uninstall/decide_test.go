// SPDX-License-Identifier: Apache-2.0

package uninstall

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"

	"roadstead.dev/roadstead/pkg/util/storeidentity"
)

var (
	registered = []apiregistration.APIService{{}}
	aDomain    = []object{{kind: kind{resource: "domains"}}}
	// releaseAlone responds while Domains are stored and takaro.roadstead.dev is not served, as
	// with groups.takaro=false.
	releaseAlone = survey{counted: true, workload: embedded, workloads: []string{"a"}, volumes: true, record: true,
		apiServices: []apiregistration.APIService{{Spec: apiregistration.APIServiceSpec{Group: "release.roadstead.dev"}}},
		inventory: []storeidentity.InventoryObject{{Group: "takaro.roadstead.dev", Resource: "domains", Namespace: "team",
			Name: "arena", UID: "u"}}}
	aRecord    = []object{{kind: kind{resource: "crdsnapshots", record: true}}}
	anOldKind  = []storeidentity.InventoryObject{{Group: "old.roadstead.dev", Resource: "things", Name: "a", UID: "u"}}
	anOldThing = survey{apiServices: registered, counted: true, inventory: anOldKind, workload: embedded, volumes: true, record: true}
	errAway    = errors.New("connection refused")
)

func TestWhatFollowsFromASurvey(t *testing.T) {
	answering := func(objects []object) survey {
		return survey{apiServices: registered, counted: true, objects: objects, workload: embedded, workloads: []string{"a"},
			volumes: true, record: true}
	}
	uncounted := answering(nil)
	uncounted.counted = false
	away := survey{apiServices: registered, unanswered: errAway, workload: embedded, workloads: []string{"a"}, volumes: true, record: true}
	for name, c := range map[string]struct {
		mode    mode
		found   survey
		refused string
		act     bool
		stored  knowledge
	}{
		"nothing is stored":                         {refuse, answering(nil), "", false, none},
		"records keep nobody":                       {refuse, answering(aRecord), "", false, none},
		"objects keep":                              {refuse, answering(aDomain), "1 object of users", false, ""},
		"they are deleted":                          {deleteAll, answering(aDomain), "", true, none},
		"records are deleted":                       {deleteAll, answering(aRecord), "", true, none},
		"nothing to leave":                          {orphan, answering(aRecord), "", false, none},
		"they are left":                             {orphan, answering(aDomain), "", true, none},
		"they stay stored":                          {strip, answering(aDomain), "", false, some},
		"nothing stays stored":                      {strip, answering(nil), "", false, none},
		"a group that is not served":                {refuse, releaseAlone, "1 object of users", false, ""},
		"the same, to be deleted":                   {deleteAll, releaseAlone, "domains.takaro.roadstead.dev team/arena", false, ""},
		"the same, to be left":                      {orphan, releaseAlone, "domains.takaro.roadstead.dev team/arena", false, ""},
		"of a kind that is not served":              {refuse, anOldThing, "1 object of users", false, ""},
		"which cannot be deleted":                   {deleteAll, anOldThing, "not list, for example things.old.roadstead.dev a", false, ""},
		"and not be left":                           {orphan, anOldThing, "--orphan cannot delete 1 stored object", false, ""},
		"but stays stored":                          {strip, anOldThing, "", false, some},
		"a group is not served, and nobody counted": {refuse, uncounted, "the inventory of the store was not read", false, ""},
		"the same, and all is to be deleted":        {deleteAll, uncounted, "it is not known", false, ""},
		"the same, and all is to be left":           {orphan, uncounted, "it is not known", false, ""},
		"the same, and the server is gone for good": {strip, uncounted, "", false, unknown},
		"no answer": {refuse, away,
			"it is not known whether objects are stored, since the server does not answer (connection refused)", false, ""},
		"no answer, but all is to go":      {deleteAll, away, "it is not known", false, ""},
		"no answer, but all is to be left": {orphan, away, "it is not known", false, ""},
		"no answer, and gone for good":     {strip, away, "", false, unknown},
		"it never stored anything":         {refuse, survey{apiServices: registered, unanswered: errAway, workload: embedded}, "", false, none},
		"the API was deleted by hand": {refuse, survey{workload: embedded, volumes: true, record: true},
			"no APIService leads to the server", false, ""},
		"so it was, with an etcd outside":  {deleteAll, survey{workload: external, record: true}, "no APIService leads to the server", false, ""},
		"so it was, before a first start":  {refuse, survey{workload: external}, "", false, none},
		"all is gone":                      {refuse, survey{}, "", false, none},
		"all but the record of a kept one": {deleteAll, survey{record: true}, "", false, none},
		"a volume alone":                   {refuse, survey{volumes: true}, "no APIService leads to the server", false, ""},
		"interrupted":                      {refuse, survey{volumes: true, earlier: &mark{stored: none}}, "", false, none},
		"interrupted, pods still there": {refuse, survey{workload: embedded, workloads: []string{"a"}, volumes: true,
			earlier: &mark{stored: none, workloads: []string{"a"}}}, "", false, none},
		"the mark is of an older one": {refuse, survey{workload: embedded, workloads: []string{"b"}, volumes: true,
			earlier: &mark{stored: none, workloads: []string{"a"}}}, "no APIService", false, ""},
		"a store was kept":           {refuse, survey{volumes: true, earlier: &mark{stored: some}}, "", false, some},
		"it was kept without a look": {strip, survey{volumes: true, earlier: &mark{stored: unknown}}, "", false, some},
		"what was kept cannot be deleted": {deleteAll, survey{volumes: true, earlier: &mark{stored: some}},
			"--delete-all cannot be done any more", false, ""},
		"a mark is not asked of an API": {refuse, func() survey {
			s := answering(aDomain)
			s.earlier = &mark{stored: none, workloads: []string{"a"}}
			return s
		}(), "1 object of users", false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			v := decide(c.mode, &c.found)
			if c.refused != "" {
				assert.Contains(t, v.refusal, c.refused)
				return
			}
			assert.Empty(t, v.refusal)
			assert.Equal(t, []any{c.act, c.stored}, []any{v.act, v.mark.stored})
		})
	}
}

func TestWhatIsKept(t *testing.T) {
	for name, c := range map[string]struct {
		mark                      mark
		volumes, store, passwords bool
	}{
		"an empty embedded store":          {mark{stored: none, place: embedded}, false, false, false},
		"what is stored":                   {mark{stored: some, place: embedded}, true, true, true},
		"what may be stored":               {mark{stored: unknown, place: external}, true, true, true},
		"an etcd outside":                  {mark{stored: none, place: external}, false, true, false},
		"a store that nothing tells of":    {mark{stored: none}, false, true, true},
		"passwords of users that are left": {mark{stored: none, place: embedded, orphaned: true}, false, false, true},
		"both":                             {mark{stored: none, place: external, orphaned: true}, false, true, true},
	} {
		k := keep(c.mark)
		assert.Equal(t, []bool{c.volumes, c.store, c.passwords}, []bool{k.volumes != "", k.store != "", k.passwords != ""}, name)
	}
}

// A run that continues one with --orphan keeps what that run kept.
func TestWhatWasOrphanedIsRemembered(t *testing.T) {
	v := decide(refuse, &survey{volumes: true, earlier: &mark{stored: none, place: embedded, orphaned: true}})
	assert.Empty(t, v.refusal)
	assert.Equal(t, embedded, v.mark.place)
	assert.NotEmpty(t, v.keep.passwords)
	assert.Empty(t, v.keep.store)
}

func TestWhereTheStoreIs(t *testing.T) {
	assert.Equal(t, external, (&survey{workload: external, volumes: true}).place())
	assert.Equal(t, embedded, (&survey{volumes: true, earlier: &mark{place: external}}).place())
	assert.Equal(t, external, (&survey{earlier: &mark{place: external}}).place())
	assert.Equal(t, noStore, (&survey{}).place())
}
