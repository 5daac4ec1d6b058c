// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// table returns the rows of a report, each in one line with single spaces.
func table(r *report, wide bool) []string {
	header, rows := statusRows(r, wide, now)
	lines := []string{strings.Join(header, " ")}
	for _, row := range rows {
		lines = append(lines, strings.Join(row, " "))
	}
	return lines
}

func (w *world) report(args ...string) *report {
	w.t.Helper()
	found, err := w.cluster.status(w.t.Context(), args, now)
	require.NoError(w.t, err)
	return found
}

func TestEachCauseIsOneLine(t *testing.T) {
	found := newWorld(t, team).report()
	assert.Equal(t, []string{
		"KIND/NAME REASON MESSAGE",
		"Gadget/own LimitReached raise spec.limit",
		"Gadget/silent NoStatus no controller has set its status since it was created 10m ago; if this does not change, check that " +
			"roadstead-controller is running",
		"Realm/broken TokenRefused while looking: the token is wrong (2 more wait for it)",
		"Realm/gone NotFound it does not exist, but spec.realmRef of Gadget/third references it; create it, or correct the " +
			"reference (1 more waits for it)",
	}, table(found, false))
	assert.Equal(t, 9, found.Objects)
	assert.False(t, found.Ready)
	assert.Equal(t, exitNotReady, found.exitCode())
}

func TestStatus_Wide(t *testing.T) {
	w := newWorld(t, team)
	w.cluster.namespace = ""
	found := w.report()
	assert.Equal(t, []string{
		"NAMESPACE KIND/NAME REASON PHASE SINCE ALIKE WAITING MESSAGE",
		"team Gadget/own LimitReached Error 5m <none> <none> raise spec.limit",
		"team Gadget/silent NoStatus <none> 10m <none> <none> no controller has set its status since it was created 10m ago; if " +
			"this does not change, check that roadstead-controller is running",
		"team Realm/broken TokenRefused Error 5m <none> Gadget/first,Gadget/second while looking: the token is wrong",
		"team Realm/gone NotFound <none> <unknown> <none> Gadget/third it does not exist, but spec.realmRef of Gadget/third references it; " +
			"create it, or correct the reference",
	}, table(found, true))
}

func TestStatusAsPeopleRunIt(t *testing.T) {
	w := newWorld(t, sample("Realm", "broken", "False TokenRefused the token is wrong")+"---\n"+sample("Gadget", "a",
		`False RealmNotReady Realm "broken" waits`, "realmRef: {name: broken}"))
	code, out, problems := w.run("status")
	assert.Equal(t, "KIND/NAME      REASON         MESSAGE\nRealm/broken   TokenRefused   the token is wrong (1 more waits for it)\n", out)
	assert.Equal(t, exitNotReady, code)
	assert.Empty(t, problems)

	code, out, _ = w.run("status", "-o", "json")
	var got report
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	assert.Equal(t, exitNotReady, code)
	require.Len(t, got.Findings, 1)
	assert.Equal(t, []string{"Gadget/a"}, got.Findings[0].Waiting)

	code, _, problems = w.run("status", "-o", "yaml")
	assert.Equal(t, exitUnusable, code)
	assert.Equal(t, "kubectl roadstead: --output: \"yaml\" is not supported: must be json or wide\n", problems)
}

func TestStatusOfWhatIsReady(t *testing.T) {
	w := newWorld(t, sample("Realm", "fine", "True AsSpecified ok"))
	code, out, _ := w.run("status")
	assert.Equal(t, exitFine, code)
	assert.Equal(t, "No problems found: 1 object was checked in namespace team.\n", out)
	_, out, _ = newWorld(t, "").run("status", "-A")
	assert.Equal(t, "No objects of Roadstead found in all namespaces.\n", out)
}

func TestStatusOfNamedObjects(t *testing.T) {
	w := newWorld(t, team)
	for arg, want := range map[string][]string{
		"gadget/first":                      {"Realm/broken"},
		"realm/broken":                      {"Realm/broken"},
		"rlm":                               {"Realm/broken"},
		"gadget/ready":                      nil,
		"gadgets/third":                     {"Realm/gone"},
		"gadgets.v1.toys.roadstead.dev/own": {"Gadget/own"},
	} {
		var titles []string
		for _, f := range w.report(arg).Findings {
			titles = append(titles, f.title())
		}
		assert.Equal(t, want, titles, arg)
	}
	code, _, problems := w.run("status", "gadget/nobody")
	assert.Equal(t, exitUnusable, code)
	assert.Equal(t, "kubectl roadstead: there is no Gadget \"nobody\" in namespace \"team\"\n", problems)
	_, _, problems = w.run("status", "thing/x")
	assert.Contains(t, problems, `"thing" is not a kind of Roadstead in this cluster; available kinds: gadgets.toys.roadstead.dev, `+
		`labels.toys.roadstead.dev`)
}

func TestCirclesEnd(t *testing.T) {
	found := newWorld(t, strings.Join([]string{
		sample("Realm", "a", "False GadgetNotReady waits", "gadgetRef: {name: b}"),
		sample("Gadget", "b", "False RealmNotReady waits", "realmRef: {name: a}"),
	}, "---\n")).report()
	require.NotEmpty(t, found.Findings)
	for _, f := range found.Findings {
		assert.Len(t, f.Waiting, 0, "each is its own end of the circle")
	}
}

func TestAChainLeadsToItsEnd(t *testing.T) {
	found := newWorld(t, strings.Join([]string{
		sample("Vote", "v", "False Closed nobody votes"),
		sample("Realm", "a", "False VoteNotReady waits", "voteRef: {name: v}"),
		sample("Gadget", "b", "False RealmNotReady waits", "realmRef: {name: a}"),
	}, "---\n")).report()
	assert.Equal(t, []string{"KIND/NAME REASON MESSAGE", "Vote/v Closed nobody votes (2 more wait for it)"}, table(found, false))
}

func TestRightsThatAreMissing(t *testing.T) {
	forbidden := func(resource string) error {
		return apierrors.NewForbidden(schema.GroupResource{Group: "toys.roadstead.dev", Resource: resource}, "",
			errors.New("User \"jane\" cannot list resource"))
	}
	w := newWorld(t, sample("Realm", "fine", "True AsSpecified ok"))
	w.refuse("list", "votes", forbidden("votes"))
	code, out, problems := w.run("status")
	assert.Equal(t, exitFine, code, "whoever looks at a namespace needs no rights beyond it")
	assert.Contains(t, out, "No problems found")
	assert.Empty(t, problems, "nor is told of what is not in it")

	w.refuse("list", "gadgets", forbidden("gadgets"))
	code, out, problems = w.run("status")
	assert.Equal(t, exitUnusable, code)
	assert.Contains(t, out, "No problems found in what could be checked")
	assert.Contains(t, problems, "Could not be checked: list gadgets.toys.roadstead.dev")
	assert.Contains(t, problems, "an administrator of the cluster can grant this permission")
}

func TestAClusterWithoutRoadstead(t *testing.T) {
	w := newWorld(t, "")
	w.discovery.Resources = served[:1]
	code, _, problems := w.run("status")
	assert.Equal(t, exitUnusable, code)
	assert.Contains(t, problems, "this cluster serves no kinds of Roadstead")
}

func TestManyThatWaitAreNotAllNamed(t *testing.T) {
	f := &finding{Message: "m"}
	for i := range 12 {
		f.Waiting = append(f.Waiting, fmt.Sprintf("Gadget/%02d", i))
	}
	assert.Equal(t, "m (12 more wait for it)", f.sentence())
	assert.True(t, strings.HasSuffix(some(f.Waiting), "Gadget/09,... (12)"), some(f.Waiting))
}

func TestStatus_JoinsEqualMessages(t *testing.T) {
	var manifests []string
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		manifests = append(manifests, sample("Gadget", name, "False StoreAway the store does not answer"))
	}
	w := newWorld(t, strings.Join(append(manifests, sample("Gadget", "f", "False StoreAway another store does not answer")), "---\n"))
	assert.Equal(t, []string{
		"KIND/NAME REASON MESSAGE",
		"Gadget/a StoreAway the store does not answer (also: Gadget/b, Gadget/c, Gadget/d and 1 more)",
		"Gadget/f StoreAway another store does not answer",
	}, table(w.report(), false))
	assert.Len(t, w.report("gadget/c").Findings, 1)
}

// TestStatus_IsNotReadyBeyondTheLimit: objects that were not checked may not be ready.
func TestStatus_IsNotReadyBeyondTheLimit(t *testing.T) {
	gadgets := newWorld(t, team).cluster.list(t.Context(), kindsIn(served[1]), "")[0]
	gadgets.cut = true
	found := &report{Findings: []*finding{}}
	found.account([]*listing{gadgets}, "")
	require.Len(t, found.NotAsked, 1)
	assert.Contains(t, found.NotAsked[0], "after the first")
	assert.Equal(t, exitUnusable, found.exitCode())
	assert.Empty(t, found.Notes)
}
