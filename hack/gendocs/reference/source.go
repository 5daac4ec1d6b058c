// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// source is the content of the Go files of one published version.
type source struct {
	// Doc is the comment of the package.
	Doc string
	// types are keyed by name.
	types map[string]*typeSource
}

// typeSource is one declared type.
type typeSource struct {
	// doc is the comment, and tags are the markers in it.
	doc  string
	tags tags
	// expr is the type expression.
	expr ast.Expr
	// values are the constants of an enum, in the order of the source.
	values []value
}

// value is one constant of an enum.
type value struct {
	Name, Text, Meaning string
}

// readSource parses the published types of a version in its directory. Generated files declare
// none.
func readSource(folder string) (*source, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return nil, err
	}
	read := &source{types: map[string]*typeSource{}}
	var constants []*ast.GenDecl
	for _, file := range files {
		if strings.HasPrefix(filepath.Base(file), "zz_") || strings.HasSuffix(file, ".pb.go") || strings.HasSuffix(file, "_test.go") {
			continue
		}
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, content, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		if text, _ := comment(parsed.Doc); text != "" {
			read.Doc = text
		}
		for _, declaration := range parsed.Decls {
			general, ok := declaration.(*ast.GenDecl)
			switch {
			case ok && general.Tok == token.TYPE:
				read.addTypes(general)
			case ok && general.Tok == token.CONST:
				constants = append(constants, general)
			}
		}
	}
	for _, declaration := range constants {
		read.addValues(declaration)
	}
	return read, nil
}

func (s *source) addTypes(declaration *ast.GenDecl) {
	for _, spec := range declaration.Specs {
		declared := spec.(*ast.TypeSpec)
		group := declared.Doc
		if group == nil {
			group = declaration.Doc
		}
		doc, tags := comment(group)
		s.types[declared.Name.Name] = &typeSource{doc: doc, tags: tags, expr: declared.Type}
	}
}

// addValues adds the constants of a declaration to their enums.
func (s *source) addValues(declaration *ast.GenDecl) {
	for _, spec := range declaration.Specs {
		constant := spec.(*ast.ValueSpec)
		of, ok := constant.Type.(*ast.Ident)
		if !ok || len(constant.Values) != 1 || s.types[of.Name] == nil || !s.types[of.Name].tags.has("enum") {
			continue
		}
		literal, ok := constant.Values[0].(*ast.BasicLit)
		if !ok {
			continue
		}
		text, err := strconv.Unquote(literal.Value)
		if err != nil {
			continue
		}
		doc, _ := comment(constant.Doc)
		s.types[of.Name].values = append(s.types[of.Name].values, value{
			Name: constant.Names[0].Name, Text: text, Meaning: strings.TrimSpace(strings.TrimPrefix(doc, constant.Names[0].Name)),
		})
	}
}
