// SPDX-License-Identifier: Apache-2.0

package charts

import (
	"context"
	"errors"
	"fmt"

	"roadstead.dev/roadstead/pkg/crdcompat"
	"roadstead.dev/roadstead/pkg/crdcompat/bundle"
	"roadstead.dev/roadstead/pkg/shorttext"
)

// Archive is a packed chart in memory.
type Archive struct {
	Name, Version string
	// Digest is "sha256:…": of the archive, or of the manifest where a registry gave it.
	Digest string

	packed []byte
}

// verify makes sure that it is the chart that it was fetched as.
func (a *Archive) verify() error {
	loaded, err := bundle.LoadPacked(a.packed)
	if err != nil {
		return a.judge(fmt.Errorf("chart %s %s: %w", a.Name, a.Version, err))
	}
	if loaded.Metadata.Name != a.Name || !sameVersion(loaded.Metadata.Version, a.Version) {
		return &Error{Kind: KindInvalid, Message: fmt.Sprintf("chart %s %s: its Chart.yaml says that it is %s %s",
			a.Name, a.Version, clean(loaded.Metadata.Name), clean(loaded.Metadata.Version))}
	}
	return nil
}

// CRDs finds the definitions in the chart: those of its crds folders, and those that its templates render with the options.
// Nothing is executed or asked: lookup finds nothing, and no name is resolved. Errors are an *Error without a repository,
// or one of the context.
func (a *Archive) CRDs(ctx context.Context, options bundle.ChartOptions) (crdcompat.Set, error) {
	set, err := bundle.ReadPacked(ctx, fmt.Sprintf("chart %s %s", a.Name, a.Version), a.packed, options)
	if err != nil {
		if ctx.Err() != nil {
			return crdcompat.Set{}, context.Cause(ctx)
		}
		return crdcompat.Set{}, a.judge(err)
	}
	return set, nil
}

// judge says of which kind an error of package bundle is.
func (a *Archive) judge(err error) error {
	// Templates can fail with texts of any length.
	found := &Error{Kind: KindInvalid, Message: shorttext.Line(err.Error(), longestReason), Err: err}
	if _, ok := errors.AsType[*bundle.TooLargeError](err); ok {
		found.Kind = KindTooLarge
	}
	if _, ok := errors.AsType[*bundle.RenderError](err); ok {
		found.Kind = KindUnrenderable
	}
	return found
}
