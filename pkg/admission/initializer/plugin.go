// SPDX-License-Identifier: Apache-2.0

package initializer

import (
	"errors"
	"io"

	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authorization/authorizer"
)

// Register adds a plugin that has no configuration.
func Register[P admission.Interface](plugins *admission.Plugins, name string, create func() P) {
	plugins.Register(name, func(io.Reader) (admission.Interface, error) { return create(), nil })
}

// Authorized is embedded by plugins that query the server's authorizer.
type Authorized struct{ Authorizer authorizer.Authorizer }

// SetAuthorizer sets the server's authorizer.
func (a *Authorized) SetAuthorizer(set authorizer.Authorizer) { a.Authorizer = set }

// Reading is embedded by plugins that read other objects of this server.
type Reading struct{ Objects Objects }

// SetObjects sets the reader.
func (r *Reading) SetObjects(objects Objects) { r.Objects = objects }

// Reviewing is embedded by plugins that decide by the rights of the caller and by other objects.
type Reviewing struct {
	Authorized
	Reading
	name string
}

// NewReviewing returns a Reviewing, by the name of its plugin, without its authorizer and its reader of objects.
func NewReviewing(name string) Reviewing { return Reviewing{name: name} }

// ValidateInitialization returns an error if the authorizer or the reader is missing.
func (r *Reviewing) ValidateInitialization() error {
	if r.Authorizer == nil || r.Objects == nil {
		return errors.New(r.name + ": the authorizer or the reader of stored objects is not set")
	}
	return nil
}
