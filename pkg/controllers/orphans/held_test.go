// SPDX-License-Identifier: Apache-2.0

package orphans

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

func absentNamespaces(n int) []string {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("n%04d", i))
	}
	return names
}

func unseenVerdict(names ...string) verdict { return verdict{unseen: names, notAlive: names} }

func TestJudge_HoldsAnyCount(t *testing.T) {
	for _, n := range []int{1, 3, 10, 30} {
		next, released := judge(v1alpha1.Hold{}, unseenVerdict(absentNamespaces(n)...), "")
		require.False(t, released)
		require.EqualValues(t, n, next.Held)
		require.Regexp(t, fmt.Sprintf("^%d-[0-9a-f]{6}$", n), next.Token)
		require.Equal(t, absentNamespaces(min(n, shown)), next.Names)
		all, _ := due(unseenVerdict(absentNamespaces(n)...), next)
		require.Empty(t, all)
	}
	require.Empty(t, encode(first(judge(v1alpha1.Hold{}, verdict{deleted: []string{"a"}}, ""))), "what was seen to end is not held")
}

func first[T, U any](value T, _ U) T { return value }

func TestJudge_Release(t *testing.T) {
	announced := first(judge(v1alpha1.Hold{}, unseenVerdict("a", "b"), ""))
	for name, c := range map[string]struct {
		stored   v1alpha1.Hold
		v        verdict
		release  string
		released []string
		held     []string
	}{
		"as announced":        {announced, unseenVerdict("a", "b"), announced.Token, []string{"a", "b"}, nil},
		"another token":       {announced, unseenVerdict("a", "b"), "2-000000", nil, []string{"a", "b"}},
		"one more is absent":  {announced, unseenVerdict("a", "b", "c"), announced.Token, nil, []string{"a", "b", "c"}},
		"one exists again":    {announced, unseenVerdict("a"), announced.Token, nil, []string{"a"}},
		"before the announce": {v1alpha1.Hold{}, unseenVerdict("a", "b"), announced.Token, nil, []string{"a", "b"}},
		"remembered":          {v1alpha1.Hold{Released: []string{"a"}}, unseenVerdict("a", "b"), "", []string{"a"}, []string{"b"}},
		"forgotten":           {v1alpha1.Hold{Released: []string{"a"}}, unseenVerdict("b"), "", nil, []string{"b"}},
		"a read failed":       {v1alpha1.Hold{Released: []string{"a"}}, verdict{notAlive: []string{"a"}}, "", []string{"a"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			next, released := judge(c.stored, c.v, c.release)
			require.Equal(t, c.released, next.Released)
			require.Equal(t, c.held, next.Names)
			require.Equal(t, name == "as announced", released)
		})
	}
	many := first(judge(v1alpha1.Hold{}, unseenVerdict(absentNamespaces(1200)...), ""))
	next, released := judge(many, unseenVerdict(absentNamespaces(1200)...), many.Token)
	require.True(t, released)
	require.EqualValues(t, 200, next.Held, "the rest needs another release")
	require.Less(t, len(encode(next)), 100<<10, "annotations have a limit of 256 KiB")
}

func TestHoldOf(t *testing.T) {
	stored := first(judge(v1alpha1.Hold{Released: []string{"b"}}, unseenVerdict("a", "b"), ""))
	source := record(testCluster)
	source.Annotations = map[string]string{HoldAnnotation: encode(stored)}
	require.Equal(t, stored, holdOf(source))
	source.Annotations[HoldAnnotation] = `{"released":["a"], invalid`
	require.Equal(t, v1alpha1.Hold{}, holdOf(source), "everything is held anew")
}
