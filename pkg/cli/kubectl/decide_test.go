// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clienttesting "k8s.io/client-go/testing"
)

const vote = `
apiVersion: toys.roadstead.dev/v1
kind: Vote
metadata: {name: v}
spec: {subject: {kind: Realm, name: fine, uid: u, digest: "sha256:abc"}, summary: "two\nlines\u001b[2J", levels: 1}
status: {decision: Pending}
`

// decided adds a reactor for decisions, and returns the recorded decisions.
func (w *world) decided() *[]string {
	var made []string
	w.objects.PrependReactor("create", "votes", func(action clienttesting.Action) (bool, runtime.Object, error) {
		body := action.(clienttesting.CreateAction).GetObject().(*unstructured.Unstructured)
		reason, _, _ := unstructured.NestedString(body.Object, "reason")
		made = append(made, strings.Join([]string{action.GetSubresource(), body.GetAPIVersion(), body.GetKind(), body.GetName(), reason}, " "))
		return true, body, nil
	})
	return &made
}

func TestDecisions(t *testing.T) {
	w := newWorld(t, vote)
	made := w.decided()
	code, out, problems := w.run("approve", "v", "--reason", "fine with us")
	assert.Equal(t, exitFine, code, problems)
	assert.Equal(t, strings.TrimPrefix(`
Vote v
  levels: 1
  subject:
    digest: sha256:abc
    kind: Realm
    name: fine
    uid: u
  summary: two lines [2J
  decision so far: Pending
Vote "v" is approved.
`, "\n"), out)
	code, out, _ = w.run("reject", "votes/v", "--reason", "too early")
	assert.Equal(t, exitFine, code)
	assert.Contains(t, out, `Vote "v" is rejected.`)
	assert.Equal(t, []string{"approve toys.roadstead.dev/v1 VoteDecision v fine with us",
		"reject toys.roadstead.dev/v1 VoteDecision v too early"}, *made)
}

func TestDecisionsThatAreNotMade(t *testing.T) {
	w := newWorld(t, vote)
	code, _, problems := w.run("reject", "v")
	assert.Equal(t, exitUnusable, code)
	assert.Contains(t, problems, "--reason is required to reject")
	code, _, problems = w.run("approve", "other")
	assert.Equal(t, exitUnusable, code)
	assert.Contains(t, problems, `there is no Vote "other"`)
	code, _, problems = w.run("approve", "realm/x")
	assert.Equal(t, exitUnusable, code)
	assert.Contains(t, problems, `"realm" is not a kind of Roadstead in this cluster; available kinds: votes.toys.roadstead.dev`)

	w.refuse("create", "votes", apierrors.NewForbidden(schema.GroupResource{Resource: "votes"}, "v",
		errors.New("whoever asked cannot approve")))
	code, _, problems = w.run("approve", "v")
	assert.Equal(t, exitUnusable, code)
	assert.Contains(t, problems, `Vote "v" was not approved`)
	assert.Contains(t, problems, "whoever asked cannot approve")
}

func TestWhichKindIsDecidedAbout(t *testing.T) {
	kinds := kindsIn(served[1])
	_, _, err := decidable(&catalog{all: kinds[:2]}, "v")
	assert.EqualError(t, err, "this cluster serves no kind that can be approved or rejected")
	more := kindsIn(&metav1.APIResourceList{GroupVersion: "other.example.com/v1", APIResources: []metav1.APIResource{
		{Name: "grants", SingularName: "grant", Kind: "Grant", Verbs: all, Categories: ours}, {Name: "grants/approve", Kind: "G"},
		{Name: "grants/reject", Kind: "G"},
		{Name: "forks", SingularName: "fork", Kind: "Fork", Verbs: all, Categories: ours}, {Name: "forks/approve", Kind: "F"},
	}})
	both := &catalog{all: append(kinds, more...)}
	_, _, err = decidable(both, "v")
	assert.EqualError(t, err, "several kinds can be approved or rejected: specify KIND/v, where KIND is one of "+
		"votes.toys.roadstead.dev, grants.other.example.com")
	k, name, err := decidable(both, "grant/v")
	require.NoError(t, err)
	assert.Equal(t, "Grant v", k.Kind+" "+name)
}

func TestTheBodyMayBeOfAnotherGroup(t *testing.T) {
	k := &kind{version: schema.GroupVersion{Group: "g", Version: "v1"}, subresources: map[string]metav1.APIResource{
		"approve": {Kind: "Decision", Group: "other", Version: "v2"}, "reject": {Kind: "Decision"},
	}}
	assert.Equal(t, "other/v2, Kind=Decision", k.bodyOf(approve).String())
	assert.Equal(t, "g/v1, Kind=Decision", k.bodyOf(reject).String())
}

func TestOnlyYesConfirms(t *testing.T) {
	w := newWorld(t, "")
	k := kindsIn(served[1])[0]
	for answer, want := range map[string]bool{"yes\n": true, "YES \n": true, "y\n": false, "\n": false, "": false} {
		w.streams.In = strings.NewReader(answer)
		assert.Equal(t, want, w.confirmed(t.Context(), approve, k, "v"), "%q", answer)
	}
	assert.Contains(t, w.errOut.String(), `Approve Realm "v"? Type yes: `)
	reader, writer := io.Pipe()
	defer func() { _ = writer.Close() }()
	w.streams.In = reader
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.False(t, w.confirmed(ctx, approve, k, "v"), "an interrupt")
}
