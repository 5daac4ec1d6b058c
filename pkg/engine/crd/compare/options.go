// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/version"

	"roadstead.dev/roadstead/pkg/engine/crd/manifest"
)

// DefaultTargetVersion is the Kubernetes version that is compared for where none is said.
const DefaultTargetVersion = manifest.NewestServer

// Options say what a comparison is for.
type Options struct {
	// TargetVersion is the Kubernetes version (1.34, v1.34.2) of the server that gets the new definition;
	// DefaultTargetVersion where empty.
	TargetVersion string
	// SkipRefusal leaves out pass 1: for an API server that asks in admission and validates by itself, and for what every
	// cluster had accepted already. It takes most of the time. Only a schema too deep to be looked at is still refused.
	SkipRefusal bool
	// SkipDigest leaves Report.Digest empty, which takes half of what is left. See Digest.
	SkipDigest bool
}

// Validate tells what is wrong with the options; Compare falls back to the default for a version that it cannot read.
func (o Options) Validate() error {
	if o.TargetVersion == "" {
		return nil
	}
	if _, err := version.ParseGeneric(o.TargetVersion); err != nil {
		return fmt.Errorf("target version %q is no Kubernetes version such as %s", o.TargetVersion, DefaultTargetVersion)
	}
	return nil
}

// target is the version of the server.
func (o Options) target() *version.Version {
	if parsed, err := version.ParseGeneric(o.TargetVersion); err == nil {
		return parsed
	}
	return version.MustParseGeneric(DefaultTargetVersion)
}
