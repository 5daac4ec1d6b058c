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

// What an installation consists of.
const (
	apiServer  = names.APIServer
	controller = names.Controller
	webhook    = "roadstead-crdguard"
	nameLabel  = names.NameLabel
	// markName is the ConfigMap by which a run tells the next one what it found.
	markName = "roadstead-uninstall"

	servingSecret    = names.ServingSecret
	encryptionSecret = names.EncryptionSecret
	passwordsSecret  = user.SeedSecretName
	identityMap      = storeidentity.ConfigMapName
)

// leases are those of the programs. The Lease of the controllers is held while none of them may work. roadstead-embedded-store
// is left by releases that had no epochs of the store.
var leases = []string{controller, names.ServingLease, "roadstead-embedded-store", storeidentity.LeaseName}

// records are kinds whose objects the controllers write for themselves: what was seen last of a definition, who decided what,
// and what is known of an installation of Takaro. They keep nobody from uninstalling.
var records = []string{"approvals." + releasev1alpha1.GroupName, "crdsnapshots." + releasev1alpha1.GroupName, endpoints}

// endpoints are the TakaroEndpoints, domains the Domains.
const (
	endpoints = "takaroendpoints." + takarov1alpha1.GroupName
	domains   = "domains." + takarov1alpha1.GroupName
)

const ownDomain = names.Domain

// isOurs tells whether a group, or the part of a finalizer before the slash, is one of ours.
func isOurs(domain string) bool {
	return domain == ownDomain || strings.HasSuffix(domain, "."+ownDomain)
}

// foreignFinalizers gives the finalizers that are not ours.
func foreignFinalizers(all []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(finalizer string) bool {
		domain, _, _ := strings.Cut(finalizer, "/")
		return isOurs(domain)
	})
}
