// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

// page is the generated file, below the root of the checkout.
var page = filepath.Join("docs", "configuration.md")

func main() {
	root := flag.String("root", ".", "Root of the checkout.")
	flag.Parse()
	if err := write(*root); err != nil {
		fmt.Fprintln(os.Stderr, "gendocs:", err)
		os.Exit(1)
	}
}

func write(root string) error {
	content, err := render()
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, page), content, 0o644)
}
