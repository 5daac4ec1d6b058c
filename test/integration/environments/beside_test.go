// SPDX-License-Identifier: Apache-2.0

//go:build integration

package environments

import "testing"

// TestBesideEachOther runs what mostly waits for the end of namespaces at the same time: environments do not know of each
// other.
func TestBesideEachOther(t *testing.T) {
	for name, test := range map[string]func(*testing.T){
		"the same manifest in two namespaces":         sameManifestInTwoNamespaces,
		"namespaces go whatever goes first":           namespacesGoWhateverGoesFirst,
		"the same manifest twice in a row":            sameManifestTwiceInARow,
		"Takaro is down while a namespace is deleted": takaroDownWhileANamespaceIsDeleted,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t)
		})
	}
}
