// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"bytes"
	_ "embed"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"text/template"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"roadstead.dev/roadstead/test/framework/served"
)

// Folder contains one page for each group, below the root of the checkout.
const Folder = "docs/reference"

//go:embed page.md.tmpl
var pageSource string

// page is one version of a group.
type page struct {
	GroupVersion schema.GroupVersion
	// Short is the first label of the group's name.
	Short string
	// Doc is the comment of the package, from its verb on.
	Doc   string
	Kinds []kind
}

// kind is one kind of a group.
type kind struct {
	served.Resource
	Doc string
	// Spec and Status are the fields below both; Other are the fields next to them.
	Spec, Status, Other []row
	// Selectable are the fields that field selectors support.
	Selectable []string
	// Bodies are kinds that only subresources use.
	Bodies []body
	// Example is a manifest, and ExamplePath the file that contains it.
	Example, ExamplePath string
}

// body is the request and response of a subresource, if that is not the object itself.
type body struct {
	Kind, Doc string
	// Paths are the subresources that use it.
	Paths  []string
	Fields []row
}

// Render returns the pages of all groups by path below the root of the checkout.
func Render() (map[string][]byte, error) {
	root, err := checkout()
	if err != nil {
		return nil, err
	}
	resources, err := served.Resources()
	if err != nil {
		return nil, err
	}
	var groups []*page
	for _, resource := range resources {
		if len(groups) == 0 || groups[len(groups)-1].GroupVersion != resource.GroupVersion {
			short, _, _ := strings.Cut(resource.GroupVersion.Group, ".")
			groups = append(groups, &page{GroupVersion: resource.GroupVersion, Short: short})
		}
		if err := groups[len(groups)-1].add(root, resource); err != nil {
			return nil, fmt.Errorf("%s: %w", resource.Kind, err)
		}
	}
	return render(groups)
}

func render(groups []*page) (map[string][]byte, error) {
	parsed, err := template.New("page").Funcs(template.FuncMap{
		"cell": cell, "join": strings.Join, "code": code, "columns": columns, "lower": strings.ToLower, "sentence": sentence, "plain": plain,
	}).Parse(pageSource)
	if err != nil {
		return nil, err
	}
	pages := map[string][]byte{}
	versions := map[string]int{}
	for _, group := range groups {
		versions[group.GroupVersion.Group]++
	}
	for _, group := range groups {
		name := group.Short
		if versions[group.GroupVersion.Group] > 1 {
			name += "-" + group.GroupVersion.Version
		}
		var out bytes.Buffer
		if err := parsed.Execute(&out, group); err != nil {
			return nil, fmt.Errorf("page.md.tmpl: %w", err)
		}
		pages[path.Join(Folder, name+".md")] = out.Bytes()
	}
	return pages, nil
}

// add adds a kind to the page.
func (p *page) add(root string, resource served.Resource) error {
	read, err := readSource(filepath.Join(root, "pkg", "apis", p.Short, resource.GroupVersion.Version))
	if err != nil {
		return err
	}
	p.Doc = read.Doc
	described := kind{Resource: resource}
	if declared := read.types[resource.Kind.Kind]; declared != nil {
		described.Doc = declared.doc
	}
	defaults, err := fixedDefaults(resource.Kind)
	if err != nil {
		return err
	}
	collector := &collector{source: read, defaults: defaults}
	if err := collector.structFields(resource.Kind.Kind, "", nil); err != nil {
		return err
	}
	var paths []string
	for _, row := range collector.rows {
		paths = append(paths, row.Path)
		switch {
		case row.Path == "spec", row.Path == "status":
		case strings.HasPrefix(row.Path, "spec."):
			described.Spec = append(described.Spec, row)
		case strings.HasPrefix(row.Path, "status."):
			described.Status = append(described.Status, row)
		default:
			described.Other = append(described.Other, row)
		}
	}
	described.Selectable = served.Fields(resource.Kind, paths)
	if described.Bodies, err = bodies(read, resource); err != nil {
		return err
	}
	described.Example, described.ExamplePath, err = example(root, resource.Kind)
	p.Kinds = append(p.Kinds, described)
	return err
}

// bodies returns the kinds of a resource's subresources that are of the same version and not the
// resource's own.
func bodies(read *source, resource served.Resource) ([]body, error) {
	var all []body
	for _, sub := range resource.Subresources {
		path := resource.Name + "/" + sub.Name
		if sub.Kind == resource.Kind || read.types[sub.Kind.Kind] == nil {
			continue
		}
		if last := len(all) - 1; last >= 0 && all[last].Kind == sub.Kind.Kind {
			all[last].Paths = append(all[last].Paths, path)
			continue
		}
		collector := &collector{source: read}
		if err := collector.structFields(sub.Kind.Kind, "", nil); err != nil {
			return nil, err
		}
		all = append(all, body{Kind: sub.Kind.Kind, Doc: read.types[sub.Kind.Kind].doc, Paths: []string{path}, Fields: collector.rows})
	}
	return all, nil
}
