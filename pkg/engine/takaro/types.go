// SPDX-License-Identifier: Apache-2.0

package takaro

import "time"

// DomainState is the state of a domain in Takaro.
type DomainState string

// The states of Takaro's enum. With DISABLED and MAINTENANCE, all domain-scoped calls return 400.
const (
	StateActive      DomainState = "ACTIVE"
	StateDisabled    DomainState = "DISABLED"
	StateMaintenance DomainState = "MAINTENANCE"
)

// Domain is a domain in Takaro's API.
type Domain struct {
	ID                      string      `json:"id"`
	Name                    string      `json:"name"`
	ExternalReference       *string     `json:"externalReference"` // unique in Takaro; nil if none was set
	State                   DomainState `json:"state"`
	ServerRegistrationToken Secret      `json:"serverRegistrationToken"` // used by game servers to register
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

// DomainInput is the body of a create. Name is required (3..200); a nil limit keeps Takaro's default. Takaro has no
// description field, and rejects unknown keys.
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

// DomainUpdate changes the fields that are set and keeps the others.
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

// RootUser is the user that Takaro creates with a domain; its e-mail is the login name.
type RootUser struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Email string `json:"email"`
}

// CreatedDomain is the response to a create. Takaro returns Password only here.
type CreatedDomain struct {
	Domain   Domain   `json:"createdDomain"`
	RootUser RootUser `json:"rootUser"`
	Password Secret   `json:"password"`
}

// DomainSearch selects domains. A domain must match every list that is not empty, and it matches a list if one of the
// values equals the field. The zero value selects all domains. To search by ID, use GetDomain: Takaro's filter requires
// UUIDs, and domain IDs are not UUIDs.
type DomainSearch struct {
	Names              []string
	States             []DomainState
	ExternalReferences []string // Takaro treats the value "null" as "has none"
}
