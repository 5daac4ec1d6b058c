// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// compile builds a main package for a platform into the file out.
func compile(ctx context.Context, root, pkg, ldflags string, platform v1.Platform, out string) error {
	// The version control stamp would differ between a clean and a dirty checkout of the same
	// source; the revision is in the ldflags.
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", ldflags, "-o", out, pkg)
	cmd.Dir = root
	// Without cgo the program needs no C library, which the image does not have. The rest prevents
	// settings of this machine from affecting the binary.
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+platform.OS, "GOARCH="+platform.Architecture,
		"GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=-mod=readonly", "GOWORK=off")
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("compile %s for %s: %w\n%s", pkg, platform, err, output)
	}
	return nil
}
