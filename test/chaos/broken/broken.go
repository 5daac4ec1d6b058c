// SPDX-License-Identifier: Apache-2.0

// Package broken builds our programs with defects, to show that a chaos run finds them. The defects are in no package of the
// product: the compiler is given changed copies of single files (go build -overlay).
package broken

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"roadstead.dev/roadstead/hack/local"
	"roadstead.dev/roadstead/test/chaos/check"
	"roadstead.dev/roadstead/test/chaos/plan"
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

// Edit replaces a text of a file, below the checkout's root, that is in it exactly once.
type Edit struct{ File, Old, New string }

const domainController = "pkg/controllers/takaro/domain/"

// Defects are those that a run must find.
var Defects = []Defect{
	{
		Name: "an acknowledged write is not stored", Program: local.APIServer, Rule: check.Lost, Seed: 1, Faults: []plan.FaultKind{plan.TakaroClock},
		// The server answers as if it had stored the object, and every fifth time it has not.
		Edits: []Edit{
			{"pkg/registry/generic/store.go", "// Create stores a new object.", "var creates int\n\n// Create stores a new object, or not."},
			{"pkg/registry/generic/store.go", "	return r.Store.Create(r.withSlot(ctx), obj, validate, options)", `	if creates++; creates%5 == 0 {
		options = options.DeepCopy()
		options.DryRun = []string{metav1.DryRunAll}
	}
	return r.Store.Create(r.withSlot(ctx), obj, validate, options)`},
		},
	},
	{
		Name: "a Takaro domain is not looked for before it is made", Program: local.Controller, Rule: check.Twice, Seed: 2, Faults: []plan.FaultKind{plan.Takaro},
		Edits: []Edit{
			{domainController + "obtain.go", "record, err := a.client.FindDomainByReference(ctx, a.reference)", "record, err := (*takaro.Domain)(nil), error(nil)"},
			{domainController + "create.go", "createInput(&a.domain.Spec, a.reference)", `createInput(&a.domain.Spec, a.reference+":"+time.Now().Format("150405.000000"))`},
		},
	},
	{
		Name: "a Domain goes and its Takaro domain stays", Program: local.Controller, Rule: check.Left, Seed: 3, Faults: []plan.FaultKind{plan.TakaroClock},
		Edits: []Edit{{domainController + "finalize.go", "if blocked := r.dispose(ctx, a); blocked != nil {", "if blocked := (*problem)(nil); blocked != nil {"}},
	},
	{
		Name: "a Domain says that it is Ready though Takaro fails", Program: local.Controller, Rule: check.NotReady, Seed: 4, Faults: []plan.FaultKind{plan.TakaroClock},
		Edits: []Edit{{domainController + "status.go", "	if blocked == nil {\n		setEndpointAnswers(domain)", "	if blocked == nil || domain.Spec.Name != \"\" {\n		setEndpointAnswers(domain)"}},
	},
	{
		Name: "a Takaro domain of somebody else is taken for ours", Program: local.Controller, Rule: check.Foreign, Seed: 8, Faults: []plan.FaultKind{plan.TakaroClock},
		Edits: []Edit{{domainController + "decide.go", "	default:\n		return refuse", "	default:\n		return keep"}},
	},
	{
		Name: "the guard lets breaking changes pass", Program: local.APIServer, Rule: check.Guard, Seed: 1, Faults: []plan.FaultKind{plan.TakaroClock},
		Edits: []Edit{{"pkg/crdguard/update.go", "case len(breaking) == 0:", "case len(breaking) >= 0:"}},
	},
}

// packages are where the programs' main packages are.
var packages = map[string]string{local.APIServer: "./cmd/apiserver", local.Controller: "./cmd/controller"}

// Files gives the changed copies by the path of the file, below root, that each stands for.
func (d Defect) Files(root string) (map[string]string, error) {
	changed := map[string]string{}
	for _, edit := range d.Edits {
		text, known := changed[edit.File]
		if !known {
			read, err := os.ReadFile(filepath.Join(root, edit.File))
			if err != nil {
				return nil, err
			}
			text = string(read)
		}
		if n := strings.Count(text, edit.Old); n != 1 {
			return nil, fmt.Errorf("%s has %d times what the defect %q replaces: %s", edit.File, n, d.Name, edit.Old)
		}
		changed[edit.File] = strings.Replace(text, edit.Old, edit.New, 1)
	}
	return changed, nil
}

// Build writes both programs into dir, the broken one and a link to the other in bin, and gives the folder. All paths are
// absolute.
func (d Defect) Build(ctx context.Context, root, bin, dir string) (string, error) {
	changed, err := d.Files(root)
	if err != nil {
		return "", err
	}
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for name, text := range changed {
		copied := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(copied, []byte(text), 0o644); err != nil {
			return "", err
		}
		overlay.Replace[filepath.Join(root, name)] = copied
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(path, text, 0o644); err != nil {
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
