// SPDX-License-Identifier: Apache-2.0

//go:build integration

package environments

import "testing"

// TestBesideEachOther runs tests in parallel that mostly wait for the deletion of namespaces. The
// environments are independent of each other.
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
