// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var gadgets = schema.GroupVersionResource{Group: "toys.roadstead.dev", Version: "v1", Resource: "gadgets"}

// seen is closed when the text was written.
type seen struct {
	bytes.Buffer
	text string
	done chan struct{}
}

func (s *seen) Write(p []byte) (int, error) {
	n, err := s.Buffer.Write(p)
	if s.done != nil && strings.Contains(s.String(), s.text) {
		close(s.done)
		s.done = nil
	}
	return n, err
}

func TestWaitEndsWhenAllAreReady(t *testing.T) {
	w := newWorld(t, sample("Gadget", "a", "Unknown Reconciling being made"))
	out := &seen{text: "Reconciling", done: make(chan struct{})}
	w.streams.Out = out
	shown := out.done
	ended := make(chan int)
	go func() { ended <- w.execute(t.Context(), []string{"wait", "gadget/a", "gadget/later", "--timeout=1m"}) }()
	<-shown
	for _, name := range []string{"a", "later"} {
		object := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "toys.roadstead.dev/v1", "kind": "Gadget", "metadata": map[string]any{"name": name,
				"namespace": "team", "generation": int64(1)},
			"status": map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": "True", "reason": "AsSpecified",
				"observedGeneration": int64(1)}}},
		}}
		var err error
		if name == "a" {
			_, err = w.objects.Resource(gadgets).Namespace("team").Update(t.Context(), object, metav1.UpdateOptions{})
		} else {
			_, err = w.objects.Resource(gadgets).Namespace("team").Create(t.Context(), object, metav1.CreateOptions{})
		}
		require.NoError(t, err)
	}
	assert.Equal(t, exitFine, <-ended)
	assert.Contains(t, out.String(), "[  ] Gadget/a Reconciling: being made\n[  ] Gadget/later it does not exist\n")
	assert.Contains(t, out.String(), "[ok] Gadget/a AsSpecified\n")
	assert.Contains(t, out.String(), "[ok] Gadget/later AsSpecified\n")
}

func TestWaitForTheEndOfObjects(t *testing.T) {
	w := newWorld(t, sample("Gadget", "a", "True AsSpecified ok"))
	out := &seen{text: "Gadget/a", done: make(chan struct{})}
	w.streams.Out = out
	shown := out.done
	ended := make(chan int)
	go func() { ended <- w.execute(t.Context(), []string{"wait", "gadget", "--for=deleted", "--timeout=1m"}) }()
	<-shown
	require.NoError(t, w.objects.Resource(gadgets).Namespace("team").Delete(t.Context(), "a", metav1.DeleteOptions{}))
	assert.Equal(t, exitFine, <-ended)
	assert.Contains(t, out.String(), "[ok] Gadget/a it does not exist\n")
	code, text, _ := w.run("wait", "gadget/a", "--for=deleted")
	assert.Equal(t, exitFine, code, text)
}

func TestWaitThatFails(t *testing.T) {
	w := newWorld(t, strings.Join([]string{sample("Gadget", "a", "False RolesMissing make the role"), sample("Gadget", "b",
		"True AsSpecified ok")}, "---\n"))
	code, out, problems := w.run("wait", "--fail-fast")
	assert.Equal(t, exitNotReady, code)
	assert.Equal(t, "[!!] Gadget/a RolesMissing: make the role\n[ok] Gadget/b AsSpecified: ok\n", out)
	assert.Equal(t, "kubectl roadstead: a user has to act: 1 of 2 not ready: Gadget/a\n", problems)

	code, _, problems = w.run("wait", "--timeout=50ms")
	assert.Equal(t, exitNotReady, code)
	assert.Equal(t, "kubectl roadstead: waited for 50ms: 1 of 2 not ready: Gadget/a\n", problems)

	code, _, problems = newWorld(t, "").run("wait")
	assert.Equal(t, exitUnusable, code)
	assert.Equal(t, "kubectl roadstead: no objects to wait for in namespace \"team\"; "+
		"to wait for objects that do not exist yet, name them\n", problems)
	code, out, _ = newWorld(t, "").run("wait", "--for=deleted")
	assert.Equal(t, exitFine, code)
	assert.Equal(t, "No objects to wait for in namespace team.\n", out)

	for _, flag := range []string{"--for=better", "--timeout=0s"} {
		code, _, problems = w.run("wait", flag)
		assert.Equal(t, exitUnusable, code)
		assert.Contains(t, problems, strings.Split(flag, "=")[0])
	}
	w.refuse("list", "gadgets", apierrors.NewForbidden(gadgets.GroupResource(), "", errors.New("no rule")))
	code, _, problems = w.run("wait", "gadget/a")
	assert.Equal(t, exitUnusable, code)
	assert.Contains(t, problems, "cannot watch: watch gadgets.toys.roadstead.dev")
}

func TestProgress(t *testing.T) {
	for name, test := range map[string]struct {
		until string
		says  readiness
		want  progress
	}{
		"ready":  {forReady, readiness{ready: true, reason: "AsSpecified"}, progress{reached: true, text: "AsSpecified"}},
		"broken": {forReady, readiness{phase: "Error", reason: "Bad", message: "m"}, progress{failed: true, text: "Bad: m"}},
		"finished, and badly": {forFinished, readiness{finished: true, phase: "Error", reason: "Failed"},
			progress{reached: true, text: "Failed"}},
		"ready is not finished": {forFinished, readiness{ready: true, reason: "AsSpecified"}, progress{text: "AsSpecified"}},
		"there is not deleted":  {forDeleted, readiness{ready: true, reason: "AsSpecified"}, progress{text: "AsSpecified"}},
	} {
		assert.Equal(t, test.want, progressTo(test.until, test.says), name)
	}
}

func TestTheBoardIsWrittenOver(t *testing.T) {
	k := kindsIn(served[1])[0]
	var out bytes.Buffer
	b := &board{out: &out, size: func() (int, int) { return 24, 24 }, said: map[string]string{}}
	one := &awaited{kind: k, name: "a", progress: progress{text: "a message that is too long"}}
	two := &awaited{kind: k, name: "b", progress: progress{reached: true, text: "x"}}
	b.draw([]*awaited{one, two})
	b.draw([]*awaited{one, two})
	const drawn = "\x1b[2K[  ] Realm/a a messa...\n\x1b[2K[ok] Realm/b x\n"
	assert.Equal(t, drawn+"\x1b[2A"+drawn, out.String())
}

func TestBoard_SmallTerminal(t *testing.T) {
	k := kindsIn(served[1])[0]
	var waited []*awaited
	for i := range 6 {
		waited = append(waited, &awaited{kind: k, name: fmt.Sprint(i), progress: progress{reached: i < 4}})
	}
	assert.Equal(t, []string{"[  ] Realm/4 ", "[  ] Realm/5 ", "[ok] Realm/0 ", "... and 3 more"}, fit(waited, 80, 5))
}

func TestTheBoardSaysOnlyChanges(t *testing.T) {
	k := kindsIn(served[1])[0]
	var out bytes.Buffer
	b := newBoard(&out)
	one := &awaited{kind: k, name: "a", progress: progress{text: "x"}}
	for _, text := range []string{"x", "x", "y"} {
		one.text = text
		b.draw([]*awaited{one})
	}
	assert.Equal(t, "[  ] Realm/a x\n[  ] Realm/a y\n", out.String())
}

func TestAnObjectMadeAnewIsAnother(t *testing.T) {
	w := newWorld(t, sample("Gadget", "a", "True AsSpecified ok"))
	found, err := discover(t.Context(), w.discovery)
	require.NoError(t, err)
	k, err := choose("gadget", found.ours())
	require.NoError(t, err)
	watched := newWatching(w.cluster, []*kind{k})
	require.NoError(t, watched.start(t.Context()))
	all := []*awaited{{kind: k, name: "a", uid: "an-earlier-one"}}
	reached, _ := watched.measure(all, forDeleted, time.Now())
	assert.Equal(t, 1, reached)
	assert.Contains(t, all[0].line(), "another object with this name was created")
}
