// SPDX-License-Identifier: Apache-2.0

package peer

// Kind is one of Roadstead's kinds as a CustomResourceDefinition.
type Kind struct {
	// Name is the kind. Plural and Singular are the names of the resource.
	Name, Plural, Singular string
	// Group is the API group in which Roadstead serves the kind.
	Group string
	// ClusterScoped kinds have no namespace.
	ClusterScoped bool

	columns    []any
	amendments amendments
}

// Suffix is appended to Roadstead's API group to form that of the peer.
const Suffix = ".peer.test"

// Version is the version of both.
const Version = "v1alpha1"

// PeerGroup returns the API group in which the peer serves the kind.
func (k Kind) PeerGroup() string { return k.Group + Suffix }

const (
	takaroGroup  = "takaro.roadstead.dev"
	releaseGroup = "release.roadstead.dev"
)

// urlRule returns the rule for URLs of Roadstead's validation.
func urlRule(schemes string) string {
	return `isURL(self) && url(self).getScheme() in [` + schemes +
		`] && url(self).getHostname() != '' && !self.contains('@') && !self.contains('?') && !self.contains('#')`
}

const (
	immutable  = "self == oldSelf"
	isFixed    = "is immutable"
	nameIsFit  = "self.metadata.name.size() <= 200"
	nameTooFar = "metadata.name may have at most 200 characters"
)

// Domain is the kind of the same name.
var Domain = Kind{
	Name: "Domain", Plural: "domains", Singular: "domain", Group: takaroGroup,
	columns: []any{
		column("Takaro Name", "string", ".spec.name"), column("Phase", "string", ".status.phase"), column("Domain ID",
			"string", ".status.domainId"),
		column("Servers", "integer", ".status.gameServers.reachable"), column("Users", "integer", ".status.users.ready"),
		column("Maintenance", "boolean", ".spec.maintenanceMode"), wide("Endpoint", ".spec.takaroApiUrl"),
		wide("Reference", ".status.externalReferenceId"),
		wide("Reason", `.status.conditions[?(@.type=="Ready")].reason`),
	},
	amendments: conditions(amendments{
		"": rules(nameIsFit, nameTooFar),
		"spec": rules(
			"!(has(self.maintenanceMode) && self.maintenanceMode && has(self.disabled) && self.disabled)",
			"disabled may not be true together with maintenanceMode",
			"!has(self.adopt) || !self.adopt || has(self.externalReferenceId)", "adopt needs externalReferenceId",
			"has(self.externalReferenceId) == has(oldSelf.externalReferenceId)", "externalReferenceId is immutable",
			"!has(self.adopt) || !self.adopt || (has(oldSelf.adopt) && oldSelf.adopt) || self.deletionPolicy == 'Retain'",
			"deletionPolicy must be Retain in the change that turns on adopt",
		),
		"spec.name": bounded(3, 200),
		"spec.takaroApiUrl": with(bounded(0, 2048), rules(immutable, isFixed, urlRule("'http', 'https'"),
			"must be an http or https URL without credentials, query or fragment")),
		"spec.connectorUrl": with(bounded(0, 2048), rules(urlRule("'ws', 'wss'"),
			"must be a ws or wss URL without credentials, query or fragment")),
		"spec.externalReferenceId": with(bounded(3, 200), rules(immutable, isFixed,
			"!self.startsWith('roadstead:') && self != 'null'", "such references are made by Roadstead")),
		"spec.description":                     bounded(0, 2000),
		"spec.deletionPolicy":                  enum("Delete", "Delete", "Disable", "Retain"),
		"spec.credentialsSecretRef.key":        {"default": "adminToken"},
		"spec.caBundleSecretRef.key":           {"default": "ca.crt"},
		"spec.domainLimits.maxGameServers":     {"minimum": int64(0)},
		"spec.domainLimits.maxUsers":           {"minimum": int64(0)},
		"spec.domainLimits.maxVariables":       {"minimum": int64(0)},
		"spec.domainLimits.maxModules":         {"minimum": int64(0)},
		"spec.domainLimits.eventRetentionDays": {"minimum": int64(0)},
		"status.phase":                         bounded(0, 1024),
		"status.domainId":                      bounded(0, 1024),
		"status.externalReferenceId":           bounded(0, 1024),
	}),
}

// User is the kind of the same name. The password is stored unchanged, because a CRD has no
// write-only fields.
var User = Kind{
	Name: "User", Plural: "users", Singular: "user", Group: takaroGroup,
	columns: []any{
		column("Email", "string", ".spec.email"), column("Domain", "string", ".spec.domainRef.name"), column("Phase", "string", ".status.phase"),
		column("Roles", "string", ".status.roles"), wide("User ID", ".status.userId"), wide("Missing Roles", ".status.missingRoles"),
		wide("Reason", `.status.conditions[?(@.type=="Ready")].reason`),
	},
	amendments: conditions(amendments{
		"": rules(nameIsFit, nameTooFar),
		"spec": rules("!(has(self.password) && has(self.passwordSecretRef))",
			"password may not be set together with passwordSecretRef"),
		"spec.name":                  bounded(3, 50),
		"spec.email":                 with(bounded(3, 50), rules(immutable, isFixed), node{"format": "email"}),
		"spec.domainRef":             rules(immutable, isFixed),
		"spec.domainRef.name":        with(bounded(1, 253), node{"pattern": `^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`}),
		"spec.roles":                 {"maxItems": int64(50)},
		"spec.roles.[]":              with(bounded(3, 20), rules("self != 'User' && self != 'Player'", "is Takaro's own and cannot be assigned")),
		"spec.password":              bounded(8, 50),
		"spec.dashboardUser":         {"default": true},
		"spec.deletionPolicy":        enum("Delete", "Delete", "Retain"),
		"spec.passwordSecretRef.key": {"default": "password"},
		"status.phase":               bounded(0, 1024),
		"status.userId":              bounded(0, 1024),
		"status.roles":               {"maxItems": int64(200)},
		"status.missingRoles":        {"maxItems": int64(200)},
	}),
}

// CRDSchema is the kind of the same name. The status of a custom resource cannot be set when it is
// created, so that the result of the comparison is not stored.
var CRDSchema = Kind{
	Name: "CRDSchema", Plural: "crdschemas", Singular: "crdschema", Group: releaseGroup, ClusterScoped: true,
	columns: []any{
		column("CRD", "string", ".status.crd"), column("Operator Version", "string", ".spec.operatorVersionRef.name"),
		column("Compatibility", "string", ".status.compatibility"), column("Findings", "integer", ".status.totalFindings"),
		column("Approval", "string", ".status.approval"), column("Phase", "string", ".status.phase"),
	},
	amendments: conditions(amendments{
		"spec.definition":              {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
		"spec.operatorVersionRef":      rules(immutable, isFixed),
		"spec.operatorVersionRef.name": bounded(1, 253),
		"spec.againstRef":              rules(immutable, isFixed),
		"spec.againstRef.name":         bounded(1, 253),
		"status.findings":              {"maxItems": int64(50)},
	}),
}

func column(name, kind, path string) node {
	return node{"name": name, "type": kind, "jsonPath": path}
}

func wide(name, path string) node {
	return with(column(name, "string", path), node{"priority": int64(1)})
}
