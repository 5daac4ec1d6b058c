// SPDX-License-Identifier: Apache-2.0

package uninstall

import (
	"slices"
	"strings"

	releasev1alpha1 "roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	takarov1alpha1 "roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/takaro/user"
	"roadstead.dev/roadstead/pkg/util/names"
	"roadstead.dev/roadstead/pkg/util/storeidentity"
)

// Names of the objects of an installation.
const (
	apiServer  = names.APIServer
	controller = names.Controller
	webhook    = "roadstead-crdguard"
	nameLabel  = names.NameLabel
	// markName is the name of the ConfigMap with the mark of a run.
	markName = "roadstead-uninstall"

	servingSecret    = names.ServingSecret
	encryptionSecret = names.EncryptionSecret
	passwordsSecret  = user.SeedSecretName
	identityMap      = storeidentity.ConfigMapName
)

// leases are the Leases of the programs. The Lease of the controllers is held while none of them
// may be active. roadstead-embedded-store was left by releases without store epochs.
var leases = []string{controller, names.ServingLease, "roadstead-embedded-store", storeidentity.LeaseName}

// records are the kinds whose objects the controllers write for themselves: the last observed state
// of a CRD, the record of a decision, and what is known of a Takaro installation. They do not
// prevent the uninstallation.
var records = []string{"approvals." + releasev1alpha1.GroupName, "crdsnapshots." + releasev1alpha1.GroupName, endpoints}

// endpoints is the resource of TakaroEndpoints, domains that of Domains.
const (
	endpoints = "takaroendpoints." + takarov1alpha1.GroupName
	domains   = "domains." + takarov1alpha1.GroupName
)

const ownDomain = names.Domain

// isOurs reports whether a group, or the part of a finalizer before the slash, is one of
// Roadstead's.
func isOurs(domain string) bool {
	return domain == ownDomain || strings.HasSuffix(domain, "."+ownDomain)
}

// foreignFinalizers returns the finalizers that are not Roadstead's.
func foreignFinalizers(all []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(finalizer string) bool {
		domain, _, _ := strings.Cut(finalizer, "/")
		return isOurs(domain)
	})
}
