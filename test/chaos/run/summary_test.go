// SPDX-License-Identifier: Apache-2.0

package run

import (
	"testing"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/chaos/check"
	"roadstead.dev/roadstead/test/chaos/history"
)

func TestSummary(t *testing.T) {
	made := history.Write{Verb: history.Create, Outcome: history.Acknowledged}
	require.Equal(t, "1 breaking CRD change failed, 1 breaking CRD change refused, 2 create acknowledged, 1 delete unknown, 1 "+
		"harmless CRD change passed", summary(
		[]history.Write{made, made, {Verb: history.Delete, Outcome: history.Unknown}},
		[]check.Attempt{{Refused: true}, {}, {Harmless: true, Passed: true}},
	))
}
