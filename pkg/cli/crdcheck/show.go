// SPDX-License-Identifier: Apache-2.0

package crdcheck

import (
	"fmt"
	"io"
	"os"
	"strconv"

	"golang.org/x/term"
	"k8s.io/component-base/version"

	"roadstead.dev/roadstead/pkg/engine/crd/compare"
	crdpolicy "roadstead.dev/roadstead/pkg/engine/crd/policy"
	"roadstead.dev/roadstead/pkg/engine/crd/report"
)

func (t *tool) show(result outcome) error {
	switch t.options.Output {
	case formatJSON:
		return report.JSON(t.stdout, result.document)
	case formatSARIF:
		return report.SARIF(t.stdout, result.document, version.Get().GitVersion)
	}
	if err := report.Text(t.stdout, result.document, report.TextOptions{Color: t.color(), Width: width(t.stdout)}); err != nil {
		return err
	}
	if !t.options.ShowDigest {
		return nil
	}
	for _, pair := range changed(result.pairs) {
		name, digest := pair.New.CRD.Name, compare.Digest(pair.Old.CRD, pair.New.CRD)
		allow := digest + "@" + currentGeneration(name)
		if t.options.Live {
			allow = crdpolicy.AllowChange(digest, pair.Old.CRD.Generation)
		}
		if _, err := fmt.Fprintf(t.stdout, "\nDigest of the change of %s: %s\nTo allow exactly this change once in a guarded cluster:\n"+
			"  kubectl annotate crd %s --overwrite %s=%s\n", name, digest, name, crdpolicy.AllowChangeAnnotation, allow); err != nil {
			return err
		}
	}
	return nil
}

// currentGeneration returns a shell expression for the generation of a CustomResourceDefinition in
// the cluster. A file may contain an earlier generation.
func currentGeneration(name string) string {
	return fmt.Sprintf(`"$(kubectl get crd %s -o jsonpath='{.metadata.generation}')"`, name)
}

// color reports whether to color the output; see no-color.org for NO_COLOR.
func (t *tool) color() bool {
	switch t.options.Color {
	case colorAlways:
		return true
	case colorNever:
		return false
	}
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && terminal(t.stdout) != nil
}

func terminal(w io.Writer) *os.File {
	if file, ok := w.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return file
	}
	return nil
}

// width returns the width of the terminal, or COLUMNS; 0 if it is unknown.
func width(w io.Writer) int {
	if file := terminal(w); file != nil {
		if columns, _, err := term.GetSize(int(file.Fd())); err == nil {
			return columns
		}
	}
	columns, err := strconv.Atoi(os.Getenv("COLUMNS"))
	if err != nil {
		return 0
	}
	return columns
}
