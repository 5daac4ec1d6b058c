// SPDX-License-Identifier: Apache-2.0

// Package broken builds Roadstead's programs with defects, to verify that a chaos run finds them.
// No package of the product contains the defects: the compiler receives changed copies of single
// files (go build -overlay).
package broken

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"roadstead.dev/roadstead/test/chaos/check"
	"roadstead.dev/roadstead/test/chaos/plan"
	"roadstead.dev/roadstead/test/framework/install"
)

// Defect is one defect of a program.
type Defect struct {
	// Name describes the defect.
	Name string
	// Program is the program with the defect, and Edits are the changes to its source.
	Program string
	Edits   []Edit
	// Rule is the invariant that a run must report as violated.
	Rule check.Rule
	// Seed and Faults are those of a short run that triggers the defect.
	Seed   uint64
	Faults []plan.FaultKind
}

// TestedDefect is a defect that the tests of a package must find.
type TestedDefect struct {
	// Name describes the defect, and Package is the package whose tests must fail.
	Name, Package string
	Edits         []Edit
}

// Edit replaces a text that occurs exactly once in a file. The path of the file is relative to the
// root of the checkout.
type Edit struct{ File, Old, New string }

// packages maps programs to their main packages.
var packages = map[string]string{install.APIServer: "./cmd/apiserver", install.Controller: "./cmd/controller"}

// files returns the changed copies, keyed by the path below root of the file that each replaces.
func files(root, name string, edits []Edit) (map[string]string, error) {
	changed := map[string]string{}
	for _, edit := range edits {
		text, known := changed[edit.File]
		if !known {
			read, err := os.ReadFile(filepath.Join(root, edit.File))
			if err != nil {
				return nil, err
			}
			text = string(read)
		}
		if n := strings.Count(text, edit.Old); n != 1 {
			return nil, fmt.Errorf("%s has %d times what the defect %q replaces: %s", edit.File, n, name, edit.Old)
		}
		changed[edit.File] = strings.Replace(text, edit.Old, edit.New, 1)
	}
	return changed, nil
}

// overlay writes the changed copies into dir and returns the path of the overlay file for the
// compiler.
func overlay(root, dir, name string, edits []Edit) (string, error) {
	changed, err := files(root, name, edits)
	if err != nil {
		return "", err
	}
	names := struct{ Replace map[string]string }{map[string]string{}}
	for file, text := range changed {
		copied := filepath.Join(dir, strings.ReplaceAll(file, "/", "_"))
		if err := os.WriteFile(copied, []byte(text), 0o644); err != nil {
			return "", err
		}
		names.Replace[filepath.Join(root, file)] = copied
	}
	text, err := json.Marshal(names)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, text, 0o644)
}

// errFound reports that the tests failed.
var errFound = errors.New("the tests found the defect")

// errNotBuilt reports that the changed package does not compile, so that its tests have no result.
var errNotBuilt = errors.New("the defect does not compile")

// Test runs the tests of the package with the defect and returns errFound if one fails.
func (d TestedDefect) Test(ctx context.Context, root, dir string) error {
	path, err := overlay(root, dir, d.Name, d.Edits)
	if err != nil {
		return err
	}
	for _, step := range []struct {
		args   []string
		failed error
	}{{[]string{"build"}, errNotBuilt}, {[]string{"test", "-count=1", "-failfast", "-vet=off"}, errFound}} {
		command := exec.CommandContext(ctx, "go", append(step.args, "-overlay", path, d.Package)...)
		command.Dir = root
		if out, err := command.CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %q in %s: %w: %s", step.failed, d.Name, d.Package, err, out)
		}
	}
	return nil
}

// Build writes the program with the defect and a link to the other program in bin to dir, and
// returns the directory. All paths are absolute.
func (d Defect) Build(ctx context.Context, root, bin, dir string) (string, error) {
	path, err := overlay(root, dir, d.Name, d.Edits)
	if err != nil {
		return "", err
	}
	for program, pkg := range packages {
		if program != d.Program {
			if err := os.Symlink(filepath.Join(bin, program), filepath.Join(dir, program)); err != nil {
				return "", err
			}
			continue
		}
		build := exec.CommandContext(ctx, "go", "build", "-p", "2", "-ldflags=-s -w", "-overlay", path, "-o", filepath.Join(dir, program), pkg)
		build.Dir = root
		if out, err := build.CombinedOutput(); err != nil {
			return "", fmt.Errorf("build %s with the defect %q: %w: %s", program, d.Name, err, out)
		}
	}
	return dir, nil
}
