// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	takaro "roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/test/peer"
)

func TestObjectsHaveTheirSize(t *testing.T) {
	for _, size := range objectSizes {
		for _, one := range []made{user(userName(7), 7, size), domain("domain", size)} {
			body, err := oursJSON.encode(one)
			require.NoError(t, err)
			assert.InDelta(t, size, len(body), 300)
		}
	}
}

func TestBothWaysGetTheSameObject(t *testing.T) {
	ours, err := oursJSON.encode(user("alice", 3, baseSize))
	require.NoError(t, err)
	theirs, err := crdJSON.encode(user("alice", 3, baseSize))
	require.NoError(t, err)
	require.Equal(t, string(ours), string(bytes.Replace(theirs, []byte(peer.Suffix), nil, 1)))
	binary, err := oursProtobuf.encode(user("alice", 3, baseSize))
	require.NoError(t, err)
	require.True(t, bytes.HasPrefix(binary, []byte("k8s\x00")))
	decoded := &takaro.User{}
	require.NoError(t, json.Unmarshal(ours, decoded))
	require.Equal(t, "alice", decoded.Spec.Name)
	require.Equal(t, "/apis/takaro.roadstead.dev.peer.test/v1alpha1/namespaces/ns/users", crdJSON.collection(peer.User, "ns"))
	require.Equal(t, "/apis/release.roadstead.dev/v1alpha1/crdschemas", oursJSON.collection(peer.CRDSchema, "ns"))
}

func TestEventsTellWhenTheyWereSent(t *testing.T) {
	at := time.Unix(1800000000, 123456789)
	sent, ok := stamped([]byte(`{"annotations":{"sent":"` + stamp(at) + `"}}`))
	require.True(t, ok)
	require.True(t, at.Equal(sent))
	for _, other := range []string{"", "sent-at:", "sent-at:12", "sent-at:123456789012345678x"} {
		_, ok := stamped([]byte(other))
		assert.False(t, ok, other)
	}
}

func TestFrames(t *testing.T) {
	from := bufio.NewReader(bytes.NewReader([]byte("\x00\x00\x00\x03abc\x00\x00\x00\x01d\x00\x00\x00\x05e")))
	for _, want := range []string{"abc", "d"} {
		frame, err := nextFrame(from)
		require.NoError(t, err)
		require.Equal(t, want, string(frame))
	}
	_, err := nextFrame(from)
	require.Error(t, err)
}
