// SPDX-License-Identifier: Apache-2.0

// Package broken builds our programs with defects, to show that a chaos run finds them. The defects are in no package of the
// product: the compiler is given changed copies of single files (go build -overlay).
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

// Defect is one way to break a program.
type Defect struct {
	// Name says what is wrong.
	Name string
	// Program is the one that is broken, Edits how.
	Program string
	Edits   []Edit
	// Rule is the invariant that a run must find violated.
	Rule check.Rule
	// Seed and Faults are of a short run that meets it.
	Seed   uint64
	Faults []plan.FaultKind
}

// TestedDefect is a defect that the tests of a package must find.
type TestedDefect struct {
	// Name says what is wrong, Package whose tests fail.
	Name, Package string
	Edits         []Edit
}

// Edit replaces a text of a file, below the checkout's root, that is in it exactly once.
type Edit struct{ File, Old, New string }

// packages are where the programs' main packages are.
var packages = map[string]string{install.APIServer: "./cmd/apiserver", install.Controller: "./cmd/controller"}

// files returns the changed copies by the path of the file, below root, that each replaces.
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

// overlay writes the changed copies into dir and returns the path of the file that names them to
// the compiler.
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

// errFound is that the tests failed.
var errFound = errors.New("the tests found the defect")

// errNotBuilt is that the changed package does not compile, so that its tests say nothing.
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

// Build writes both programs into dir, the broken one and a link to the other in bin, and returns
// the folder. All paths are absolute.
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
