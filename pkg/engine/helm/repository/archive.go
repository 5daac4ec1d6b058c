// SPDX-License-Identifier: Apache-2.0

package repository

import (
	"context"
	"errors"
	"fmt"

	chart "helm.sh/helm/v4/pkg/chart/v2"

	"roadstead.dev/roadstead/pkg/engine/crd/bundle"
	"roadstead.dev/roadstead/pkg/engine/crd/sets"
	"roadstead.dev/roadstead/pkg/engine/semver"
	"roadstead.dev/roadstead/pkg/util/text"
)

// Archive is a packed chart in memory. Its content was not checked: this is left to a process that may be killed.
type Archive struct {
	Name, Version string
	// Digest is "sha256:…" of the archive, or of the manifest for charts from a registry.
	Digest string
	// Packed is the content of the .tgz file.
	Packed []byte
}

// isItself returns an error unless the name and version in Chart.yaml are those of the archive.
func (a *Archive) isItself(loaded *chart.Chart) error {
	if loaded.Metadata.Name != a.Name || !semver.Equal(loaded.Metadata.Version, a.Version) {
		return fmt.Errorf("the file Chart.yaml contains a different name or version: %s %s",
			clean(loaded.Metadata.Name), clean(loaded.Metadata.Version))
	}
	return nil
}

// CRDs returns the CRDs in the chart: those of its crds folders, and those that its templates render with the options.
// Templates have no access to the cluster or the network: lookup returns nothing, and names are not resolved. Their time
// and memory are not limited, so untrusted charts must be rendered in package sandbox. Errors are an *Error without a
// repository, or the error of the context.
func (a *Archive) CRDs(ctx context.Context, options bundle.ChartOptions) (sets.Set, error) {
	set, err := bundle.ReadPacked(ctx, fmt.Sprintf("chart %s %s", a.Name, a.Version), a.Packed, options, a.isItself)
	if err != nil {
		if ctx.Err() != nil {
			return sets.Set{}, context.Cause(ctx)
		}
		return sets.Set{}, judge(err)
	}
	return set, nil
}

// judge returns an error of package bundle as an *Error.
func judge(err error) error {
	// Errors of templates may have any length.
	found := &Error{Kind: KindInvalid, Message: text.Line(err.Error(), longestReason), Err: err}
	if _, ok := errors.AsType[*bundle.TooLargeError](err); ok {
		found.Kind = KindTooLarge
	}
	if _, ok := errors.AsType[*bundle.RenderError](err); ok {
		found.Kind = KindUnrenderable
	}
	return found
}
