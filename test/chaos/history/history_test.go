// SPDX-License-Identifier: Apache-2.0

package history

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestHistory(t *testing.T) {
	begin := time.Now()
	h := New(begin)
	require.Equal(t, []int{1, 2}, []int{h.Mark(), h.Mark()})
	h.Add(Write{ID: 1, Key: Key{Kind: "Domain", Namespace: "ns", Name: "a"}, Verb: Create, Begin: begin.Add(time.Second),
		End: begin.Add(1500 * time.Millisecond), Outcome: Unknown, Note: "EOF"})
	writes := h.Writes()
	require.Len(t, writes, 1)
	require.Equal(t, "Domain ns/a", writes[0].Key.String())
	var out strings.Builder
	require.NoError(t, h.Print(&out))
	require.JSONEq(t, `{"id":1,"key":{"kind":"Domain","namespace":"ns","name":"a"},"verb":"create","from":"1s","to":"1.5s",`+
		`"outcome":"unknown","note":"EOF"}`, out.String())
}
