// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"context"
	"net/http"
	"time"
)

// User is a user of a domain as the API gives it.
type User struct {
	ID              string        `json:"id"`
	Name            string        `json:"name"`
	Email           string        `json:"email"` // as first registered, case kept
	IsDashboardUser bool          `json:"isDashboardUser"`
	Roles           AssignedRoles `json:"roles"`
	CreatedAt       time.Time     `json:"createdAt"`
	UpdatedAt       time.Time     `json:"updatedAt"`
}

// AssignedRole is a role of a user. Takaro adds one for its system role "User", which nobody assigned.
type AssignedRole struct {
	RoleID string `json:"roleId"`
	Role   Role   `json:"role"`
}

// Role is a role of a domain. A system role other than root cannot be assigned.
type Role struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	System bool   `json:"system"`
}

// UserInput is the body of a create; all fields are sent. A known e-mail gives its existing user, and the rest of the
// input is then ignored, the password too.
type UserInput struct {
	Name            string
	Email           string
	Password        Secret
	IsDashboardUser bool
}

// UserUpdate changes what is set and leaves the rest alone. E-mail and password cannot be changed.
type UserUpdate struct {
	Name            *string `json:"name,omitempty"`
	IsDashboardUser *bool   `json:"isDashboardUser,omitempty"`
}

// CreateUser makes a user in a domain, or gives the one that has this e-mail already. It is sent once: after an error
// that IsUnclear, look for the e-mail before it is sent again.
func (c *Client) CreateUser(ctx context.Context, domainID string, in UserInput) (*User, error) {
	body := map[string]any{
		"name": in.Name, "email": in.Email, "password": in.Password.Reveal(), "isDashboardUser": in.IsDashboardUser,
	}
	var out User
	_, err := c.do(ctx, call{
		method: http.MethodPost, pattern: "/user", auth: domainAuth, domainID: domainID, body: body,
		secrets: []string{in.Password.Reveal()},
	}, &out)
	if err != nil {
		return nil, err
	}
	return &out, nil
}

// SearchUsers gives all users of a domain, its root user among them, by id. Takaro has no filter by e-mail: compare
// without regard to case, as Takaro's identities do.
func (c *Client) SearchUsers(ctx context.Context, domainID string) ([]User, error) {
	return pager[User]{
		client: c,
		call:   call{method: http.MethodPost, pattern: "/user/search", auth: domainAuth, domainID: domainID, idempotent: true, reads: true},
		id:     func(u User) string { return u.ID },
		budget: c.list(),
	}.all(ctx)
}

// GetUser returns a user of a domain by id, and an error that IsNotFound if there is none.
func (c *Client) GetUser(ctx context.Context, domainID, id string) (*User, error) {
	path, err := pathID(id)
	if err != nil {
		return nil, err
	}
	k := call{
		method: http.MethodGet, pattern: "/user/:id", path: "/user/" + path, auth: domainAuth, domainID: domainID, idempotent: true,
	}
	var out User
	if _, err := c.do(ctx, k, &out); err != nil {
		return nil, err
	}
	if out.ID != id {
		return nil, c.unreadable(k, "a user with another id")
	}
	return &out, nil
}

// SearchRoles gives all roles of a domain by id. In a domain in maintenance, or disabled, Takaro refuses it with 400.
func (c *Client) SearchRoles(ctx context.Context, domainID string) ([]Role, error) {
	return pager[Role]{
		client: c,
		call:   call{method: http.MethodPost, pattern: "/role/search", auth: domainAuth, domainID: domainID, idempotent: true, reads: true},
		id:     func(r Role) string { return r.ID },
		budget: c.list(),
	}.all(ctx)
}

// UpdateUser changes what is set in u. Takaro answers an unknown id with 500.
func (c *Client) UpdateUser(ctx context.Context, domainID, id string, u UserUpdate) (*User, error) {
	path, err := pathID(id)
	if err != nil {
		return nil, err
	}
	var out User
	_, err = c.do(ctx, call{
		method: http.MethodPut, pattern: "/user/:id", path: "/user/" + path, auth: domainAuth, domainID: domainID,
		body: u, idempotent: true, inputMakes500: true,
	}, &out)
	if err != nil {
		return nil, err
	}
	return &out, nil
}

// DeleteUser removes a user from its domain; a repeat is nil. The identity behind the e-mail and its password stay.
func (c *Client) DeleteUser(ctx context.Context, domainID, id string) error {
	path, err := pathID(id)
	if err != nil {
		return err
	}
	_, err = c.do(ctx, call{
		method: http.MethodDelete, pattern: "/user/:id", path: "/user/" + path, auth: domainAuth, domainID: domainID, idempotent: true,
	}, nil)
	return err
}

// AssignRole gives a role to a user; one that is assigned already is nil.
func (c *Client) AssignRole(ctx context.Context, domainID, userID, roleID string) error {
	err := c.roleCall(ctx, http.MethodPost, domainID, userID, roleID)
	if IsConflict(err) {
		return nil
	}
	return err
}

// UnassignRole takes a role from a user; one that is not assigned is nil.
func (c *Client) UnassignRole(ctx context.Context, domainID, userID, roleID string) error {
	return c.roleCall(ctx, http.MethodDelete, domainID, userID, roleID)
}

func (c *Client) roleCall(ctx context.Context, method, domainID, userID, roleID string) error {
	user, err := pathID(userID)
	if err != nil {
		return err
	}
	role, err := pathID(roleID)
	if err != nil {
		return err
	}
	k := call{
		method: method, pattern: "/user/:id/role/:roleId", path: "/user/" + user + "/role/" + role,
		auth: domainAuth, domainID: domainID, idempotent: true, inputMakes500: true,
	}
	if method == http.MethodPost {
		k.body = map[string]any{}
	}
	_, err = c.do(ctx, k, nil)
	return err
}
