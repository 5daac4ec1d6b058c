// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// complaints is the number of numbered complaints about aggregated API servers.
const complaints = 20

var complaint = regexp.MustCompile(`^TestC(\d\d)`)

// testsOfComplaints returns the test functions below test/ that are named after a complaint, keyed
// by its two-digit number. Files with any build tag count.
func testsOfComplaints(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	require.NoError(t, filepath.WalkDir(filepath.Join(root, "test"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, declaration := range file.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if match := complaint.FindStringSubmatch(function.Name.Name); match != nil {
				found[match[1]] = append(found[match[1]], function.Name.Name)
			}
		}
		return nil
	}))
	return found
}

func TestEveryComplaintHasATestOfItsNumber(t *testing.T) {
	found := testsOfComplaints(t)
	require.Len(t, found, complaints)
	page := read(t, filepath.Join(root, "docs", "architecture.md"))
	rows := regexp.MustCompile(`(?m)^\| (\d\d) \|.*$`).FindAllStringSubmatch(page, -1)
	require.Len(t, rows, complaints, "the table in docs/architecture.md")
	for i, row := range rows {
		number := row[1]
		assert.Equal(t, i+1, int(number[0]-'0')*10+int(number[1]-'0'))
		assert.NotEmpty(t, found[number], "no test is named after complaint %s", number)
		for _, name := range regexp.MustCompile(`TestC\d\d\w+`).FindAllString(row[0], -1) {
			assert.Contains(t, found[number], name, "complaint %s", number)
		}
		assert.Contains(t, row[0], "`TestC"+number, "complaint %s names no test", number)
	}
}
