// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"context"
	"net/http"
	"time"
)

// User is a user of a domain in Takaro's API.
type User struct {
	ID              string        `json:"id"`
	Name            string        `json:"name"`
	Email           string        `json:"email"` // as first registered, case kept
	IsDashboardUser bool          `json:"isDashboardUser"`
	Roles           AssignedRoles `json:"roles"`
	CreatedAt       time.Time     `json:"createdAt"`
	UpdatedAt       time.Time     `json:"updatedAt"`
}

// AssignedRole is a role of a user. Takaro adds its system role "User", which is not assigned explicitly.
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

// UserInput is the body of a create; all fields are sent. If the e-mail is already registered, Takaro returns the
// existing user and ignores the other fields, including the password.
type UserInput struct {
	Name            string
	Email           string
	Password        Secret
	IsDashboardUser bool
}

// UserUpdate changes the fields that are set and keeps the others. E-mail and password cannot be changed.
type UserUpdate struct {
	Name            *string `json:"name,omitempty"`
	IsDashboardUser *bool   `json:"isDashboardUser,omitempty"`
}

// CreateUser creates a user in a domain, or returns the user that already has this e-mail. The request is sent once:
// after an error for which IsUnclear returns true, search for the e-mail before you send it again.
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

// SearchUsers returns all users of a domain, including its root user, sorted by ID. Takaro has no filter by e-mail:
// compare e-mails case-insensitively, like Takaro's identity service.
func (c *Client) SearchUsers(ctx context.Context, domainID string) ([]User, error) {
	return pager[User]{
		client: c,
		call:   call{method: http.MethodPost, pattern: "/user/search", auth: domainAuth, domainID: domainID, idempotent: true, reads: true},
		id:     func(u User) string { return u.ID },
		budget: c.list(),
	}.all(ctx)
}

// GetUser returns a user of a domain by ID. It returns an IsNotFound error if the user does not exist.
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

// SearchRoles returns all roles of a domain, sorted by ID. Takaro returns 400 for a domain that is disabled or in maintenance.
func (c *Client) SearchRoles(ctx context.Context, domainID string) ([]Role, error) {
	return pager[Role]{
		client: c,
		call:   call{method: http.MethodPost, pattern: "/role/search", auth: domainAuth, domainID: domainID, idempotent: true, reads: true},
		id:     func(r Role) string { return r.ID },
		budget: c.list(),
	}.all(ctx)
}

// UpdateUser changes the fields that are set in u. Takaro responds to an unknown ID with 500.
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

// DeleteUser deletes a user of a domain; a repeated call returns nil. The identity with the e-mail and its password remain.
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

// AssignRole assigns a role to a user. It returns nil if the role is already assigned.
func (c *Client) AssignRole(ctx context.Context, domainID, userID, roleID string) error {
	err := c.roleCall(ctx, http.MethodPost, domainID, userID, roleID)
	if IsConflict(err) {
		return nil
	}
	return err
}

// UnassignRole removes a role from a user. It returns nil if the role is not assigned.
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
