// SPDX-License-Identifier: Apache-2.0

package takaro

import "time"

// DomainState is what Takaro lets a domain do.
type DomainState string

// The states of Takaro's enum. DISABLED and MAINTENANCE make all domain-scoped calls answer 400.
const (
	StateActive      DomainState = "ACTIVE"
	StateDisabled    DomainState = "DISABLED"
	StateMaintenance DomainState = "MAINTENANCE"
)

// Domain is a Takaro domain as the API gives it.
type Domain struct {
	ID                      string      `json:"id"`
	Name                    string      `json:"name"`
	ExternalReference       *string     `json:"externalReference"` // unique in Takaro; nil when none was given
	State                   DomainState `json:"state"`
	ServerRegistrationToken Secret      `json:"serverRegistrationToken"` // what game servers register with
	MaxGameservers          int64       `json:"maxGameservers"`
	MaxUsers                int64       `json:"maxUsers"` // counts dashboard users
	MaxVariables            int64       `json:"maxVariables"`
	MaxModules              int64       `json:"maxModules"`
	MaxFunctionsInModule    int64       `json:"maxFunctionsInModule"`
	EventRetentionDays      int64       `json:"eventRetentionDays"`
	RateLimitPoints         int64       `json:"rateLimitPoints"`
	RateLimitDuration       int64       `json:"rateLimitDuration"` // milliseconds
	CreatedAt               time.Time   `json:"createdAt"`
	UpdatedAt               time.Time   `json:"updatedAt"`
}

// DomainInput is the body of a create. Name is required (3..200); a nil limit leaves Takaro's default.
// Takaro knows no description: an unknown key is refused by it.
type DomainInput struct {
	Name               string      `json:"name"`
	ExternalReference  string      `json:"externalReference,omitempty"` // 3..200, unique
	State              DomainState `json:"state,omitempty"`             // default ACTIVE
	MaxGameservers     *int64      `json:"maxGameservers,omitempty"`    // default 1
	MaxUsers           *int64      `json:"maxUsers,omitempty"`          // default 1
	MaxVariables       *int64      `json:"maxVariables,omitempty"`
	MaxModules         *int64      `json:"maxModules,omitempty"`
	EventRetentionDays *int64      `json:"eventRetentionDays,omitempty"`
}

// DomainUpdate changes what is set and leaves the rest alone.
type DomainUpdate struct {
	Name               *string      `json:"name,omitempty"`
	ExternalReference  *string      `json:"externalReference,omitempty"`
	State              *DomainState `json:"state,omitempty"`
	MaxGameservers     *int64       `json:"maxGameservers,omitempty"`
	MaxUsers           *int64       `json:"maxUsers,omitempty"`
	MaxVariables       *int64       `json:"maxVariables,omitempty"`
	MaxModules         *int64       `json:"maxModules,omitempty"`
	EventRetentionDays *int64       `json:"eventRetentionDays,omitempty"`
}

// RootUser is the user that Takaro makes with a domain; its e-mail is the login name.
type RootUser struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Email string `json:"email"`
}

// CreatedDomain is the answer to a create. Password is told this once and never again.
type CreatedDomain struct {
	Domain   Domain   `json:"createdDomain"`
	RootUser RootUser `json:"rootUser"`
	Password Secret   `json:"password"`
}

// DomainSearch selects domains: a domain must match every list that is not empty, and a list is matched
// when one of its values equals the field. The zero value selects all. (By id: GetDomain; Takaro's filter wants UUIDs there, which
// domain ids are not.)
type DomainSearch struct {
	Names              []string
	States             []DomainState
	ExternalReferences []string // the value "null" means "has none" to Takaro
}
