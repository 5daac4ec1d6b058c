// SPDX-License-Identifier: Apache-2.0

package storeidentity

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"
)

func TestRecord_RoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[0-9a-f-]{1,40}`)
		record := Record{
			Anchor:        Anchor{StoreID: word.Draw(t, "store"), Epoch: rapid.Int64Range(1, MaxEpoch).Draw(t, "epoch")},
			Tick:          rapid.Int64Min(0).Draw(t, "tick"),
			Revision:      rapid.Int64Min(0).Draw(t, "revision"),
			EtcdClusterID: word.Draw(t, "etcd"),
			ClusterUID:    types.UID(word.Draw(t, "cluster")),
			Fingerprints:  rapid.MapOf(word, rapid.SliceOfN(word, 1, 3)).Draw(t, "fingerprints"),
		}
		read, err := Parse(&corev1.ConfigMap{Data: record.Data()})
		require.NoError(t, err)
		require.Equal(t, record, *read)
	})
}

func TestParse_Invalid(t *testing.T) {
	valid := func() map[string]string {
		return Record{Anchor: Anchor{"s", 2}, ClusterUID: "c", EtcdClusterID: "e", Revision: 3, Tick: 4}.Data()
	}
	for key, values := range map[string][]string{
		StoreIDKey: {"", "a/b"}, ClusterUIDKey: {""}, EtcdClusterIDKey: {""}, EpochKey: {"", "0", "x", "1000000001"}, TickKey: {"", "-1"},
		RevisionKey: {"", "x", "-1"},
	} {
		for _, value := range values {
			data := valid()
			data[key] = value
			_, err := Parse(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "m"}, Data: data})
			require.Error(t, err, "%s=%q", key, value)
			assert.ErrorContains(t, err, "n/m")
			assert.ErrorContains(t, err, key)
		}
	}
}

func TestParse_WithoutRecord(t *testing.T) {
	for _, data := range []map[string]string{nil, {RequestKey: "anything"}} {
		record, err := Parse(&corev1.ConfigMap{Data: data})
		require.NoError(t, err)
		require.Nil(t, record)
	}
}

func TestRequest_RoundTrip(t *testing.T) {
	request := Request{Nonce: "n", StoreID: NewStore, EtcdClusterID: "e", Revision: 4, Reason: "restored after a loss"}
	read, err := ParseRequest(&corev1.ConfigMap{Data: map[string]string{RequestKey: request.String()}})
	require.NoError(t, err)
	require.Equal(t, request, *read)
	read, err = ParseRequest(&corev1.ConfigMap{Data: map[string]string{"storeID": "s"}})
	require.NoError(t, err)
	require.Nil(t, read)
	for _, text := range []string{"", "x", "{}", `{"nonce":"n","storeID":"s"}`} {
		_, err = ParseRequest(&corev1.ConfigMap{Data: map[string]string{RequestKey: text}})
		require.ErrorContains(t, err, "invalid request", text)
	}
}

func TestParseAnchor(t *testing.T) {
	anchor := Anchor{StoreID: "s", Epoch: MaxEpoch}
	read, err := ParseAnchor(anchor.String())
	require.NoError(t, err)
	require.Equal(t, anchor, read)
	for _, text := range []string{"", "s", "/1", "s/", "s/0", "s/-1", "s/x", "s/1000000001", "s/1/2"} {
		_, err := ParseAnchor(text)
		require.Error(t, err, text)
	}
}

func TestParse_RecordBeforeEpochs(t *testing.T) {
	data := map[string]string{StoreIDKey: "s", ClusterUIDKey: "c", RevisionKey: "9"}
	record, err := Parse(&corev1.ConfigMap{Data: data})
	require.NoError(t, err)
	require.Equal(t, data, record.Data())
	require.Equal(t, Record{Anchor: Anchor{"s", 1}, ClusterUID: "c", Revision: 9, Fingerprints: map[string][]string{}}, *record)
}
