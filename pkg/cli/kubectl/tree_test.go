// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const grove = `
apiVersion: toys.roadstead.dev/v1
kind: Realm
metadata: {name: fine, generation: 1, creationTimestamp: "2026-03-01T11:50:00Z"}
status: {conditions: [{type: Ready, status: "True", reason: AsSpecified}]}
---
apiVersion: toys.roadstead.dev/v1
kind: Gadget
metadata: {name: owned, creationTimestamp: "2026-03-01T11:51:00Z", ownerReferences: [{kind: Realm, name: fine, uid: realm-fine}]}
spec: {realmRef: {name: fine}, voteRef: {name: gone}}
status: {conditions: [{type: Ready, status: "False", reason: LimitReached, message: m}]}
---
apiVersion: toys.roadstead.dev/v1
kind: Gadget
metadata: {name: referring, creationTimestamp: "2026-03-01T11:51:00Z"}
spec: {realmRef: {name: fine}}
---
{apiVersion: v1, kind: Secret, metadata: {name: fine-root, creationTimestamp: "2026-03-01T11:51:00Z", ownerReferences: [{kind: Realm,
  name: fine, uid: realm-fine}]}}
---
{apiVersion: v1, kind: Secret, metadata: {name: nobodys}}
---
{apiVersion: v1, kind: Pod, metadata: {name: zero, creationTimestamp: "2026-03-01T11:59:30Z", ownerReferences: [{kind: Gadget,
  name: owned, uid: gadget-owned}]}}
`

// grown returns the printed tree.
func (w *world) grown(args ...string) string {
	w.t.Helper()
	grown, err := w.cluster.grow(w.t.Context(), args, now)
	require.NoError(w.t, err)
	w.out.Reset()
	w.errOut.Reset()
	require.NoError(w.t, w.printTree(grown, now))
	return w.out.String()
}

func TestTree(t *testing.T) {
	w := newWorld(t, grove)
	assert.Equal(t, strings.TrimPrefix(`
NAME                                        READY   REASON         AGE
Realm/fine                                  True    AsSpecified    10m
├─Gadget/owned                              False   LimitReached   9m
│ └─Pod/zero                                -                      30s
├─Gadget/referring (by its spec.realmRef)   False   NoStatus       9m
└─Secret/fine-root                          -                      9m
`, "\n"), w.grown("realm", "fine"))
	assert.Empty(t, w.errOut.String())
}

func TestTreeShowsWhatTheSpecRefersTo(t *testing.T) {
	assert.Equal(t, strings.TrimPrefix(`
NAME                         READY   REASON         AGE
Realm/fine (spec.realmRef)   True    AsSpecified    10m
Vote/gone (spec.voteRef)     False   NotFound       <unknown>
Gadget/owned                 False   LimitReached   9m
└─Pod/zero                   -                      30s
`, "\n"), newWorld(t, grove).grown("gadget/owned"))
}

func TestTree_Forbidden(t *testing.T) {
	w := newWorld(t, grove)
	w.refuse("list", "secrets", apierrors.NewForbidden(schema.GroupResource{Resource: "secrets"}, "", errors.New("no rule")))
	w.refuse("list", "gadgets", apierrors.NewForbidden(schema.GroupResource{Resource: "gadgets"}, "", errors.New("no rule")))
	out := w.grown("realm", "fine")
	assert.NotContains(t, out, "Secret")
	assert.Contains(t, w.errOut.String(), "Note: gadgets.toys.roadstead.dev were not checked")
	assert.Contains(t, w.errOut.String(), "Note: 1 other kind was not checked")

	code, _, problems := w.run("tree", "gadget/owned")
	assert.Equal(t, exitUnusable, code)
	assert.Contains(t, problems, "list gadgets.toys.roadstead.dev")
	for _, args := range [][]string{{"tree"}, {"tree", "realm"}, {"tree", "realm/fine", "gadget/owned"}, {"tree", "realm", "nobody"}} {
		code, _, problems := w.run(args...)
		assert.Equal(t, exitUnusable, code, args)
		assert.NotEmpty(t, problems, args)
	}
}

func TestATreeOfCirclesEnds(t *testing.T) {
	var manifests []string
	for _, name := range []string{"a", "b", "c"} {
		text := sample("Gadget", name, "True AsSpecified ok")
		owners := strings.ReplaceAll("ownerReferences: [{uid: gadget-a}, {uid: gadget-b}, {uid: gadget-c}]", "{uid",
			"{kind: Gadget, name: x, uid")
		manifests = append(manifests, strings.Replace(text, "generation: 1", "generation: 1, "+owners, 1))
	}
	out := newWorld(t, strings.Join(manifests, "---\n")).grown("gadget", "a")
	assert.Equal(t, 1, strings.Count(out, "Gadget/a"), out)
}

func TestATreeHasALimit(t *testing.T) {
	// Each object is owned by both objects of the level above.
	const levels = 16
	var manifests []string
	for level := range levels {
		for _, side := range []string{"a", "b"} {
			text := sample("Gadget", fmt.Sprintf("%s%d", side, level), "True AsSpecified ok")
			owners := fmt.Sprintf("generation: 1, ownerReferences: [{uid: gadget-a%d}, {uid: gadget-b%d}]", level-1, level-1)
			manifests = append(manifests, strings.Replace(text, "generation: 1", owners, 1))
		}
	}
	w := newWorld(t, strings.Join(manifests, "---\n"))
	out := w.grown("gadget", "a0")
	assert.LessOrEqual(t, strings.Count(out, "\n"), 2*treeLimit)
	assert.Contains(t, w.errOut.String(), "only 2000 objects are shown")
}
