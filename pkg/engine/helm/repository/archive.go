// SPDX-License-Identifier: Apache-2.0

package repository

import (
	"context"
	"errors"
	"fmt"

	chart "helm.sh/helm/v4/pkg/chart/v2"

	"roadstead.dev/roadstead/pkg/engine/crd/bundle"
	"roadstead.dev/roadstead/pkg/engine/crd/sets"
	"roadstead.dev/roadstead/pkg/util/text"
)

// Archive is a packed chart in memory. Nobody has looked into it: that is for a process that may be lost.
type Archive struct {
	Name, Version string
	// Digest is "sha256:…": of the archive, or of the manifest where a registry gave it.
	Digest string
	// Packed is the content of the .tgz file.
	Packed []byte
}

// isItself returns an error unless a chart is the one that it was fetched as.
func (a *Archive) isItself(loaded *chart.Chart) error {
	if loaded.Metadata.Name != a.Name || !sameVersion(loaded.Metadata.Version, a.Version) {
		return fmt.Errorf("its Chart.yaml says that it is %s %s", clean(loaded.Metadata.Name), clean(loaded.Metadata.Version))
	}
	return nil
}

// CRDs finds the definitions in the chart: those of its crds folders, and those that its templates render with the options.
// Templates reach nothing: lookup finds nothing, and no name is resolved. But nothing bounds their time and memory, so the
// chart of somebody else is for package sandbox. Errors are an *Error without a repository, or one of the context.
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

// judge says of which kind an error of package bundle is.
func judge(err error) error {
	// Templates can fail with texts of any length.
	found := &Error{Kind: KindInvalid, Message: text.Line(err.Error(), longestReason), Err: err}
	if _, ok := errors.AsType[*bundle.TooLargeError](err); ok {
		found.Kind = KindTooLarge
	}
	if _, ok := errors.AsType[*bundle.RenderError](err); ok {
		found.Kind = KindUnrenderable
	}
	return found
}
