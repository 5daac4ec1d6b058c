// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/version"

	"roadstead.dev/roadstead/pkg/engine/crd/manifest"
)

// DefaultTargetVersion is the Kubernetes version that changes are evaluated for by default.
const DefaultTargetVersion = manifest.NewestServer

// Options are the options of a comparison.
type Options struct {
	// TargetVersion is the Kubernetes version (1.34, v1.34.2) of the server that the new CRD is
	// applied to. Defaults to DefaultTargetVersion.
	TargetVersion string
	// SkipRefusal skips pass 1, which takes most of the time: for API servers that call Roadstead
	// during admission and validate by themselves, and for CRDs that every cluster accepted already.
	// Schemas that are nested too deep to be compared are still reported.
	SkipRefusal bool
	// SkipDigest leaves Report.Digest empty, which halves the remaining time. See Digest.
	SkipDigest bool
}

// Validate returns an error if the options are invalid. Compare uses the default for a version that it
// cannot parse.
func (o Options) Validate() error {
	if o.TargetVersion == "" {
		return nil
	}
	if _, err := version.ParseGeneric(o.TargetVersion); err != nil {
		return fmt.Errorf("target version %q is not a Kubernetes version such as %s", o.TargetVersion, DefaultTargetVersion)
	}
	return nil
}

// target returns the version of the server.
func (o Options) target() *version.Version {
	if parsed, err := version.ParseGeneric(o.TargetVersion); err == nil {
		return parsed
	}
	return version.MustParseGeneric(DefaultTargetVersion)
}
