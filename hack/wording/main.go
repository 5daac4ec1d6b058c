// SPDX-License-Identifier: Apache-2.0

// Command wording reports words that the documentation style of this project avoids, in comments,
// in strings that a user can read, and in prose. Arguments are the files to check, relative to the
// root of the repository; without arguments it checks every file that Git tracks. The exit code is
// 1 if a word was found.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

func main() {
	flag.Parse()
	if err := run(flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "wording:", err)
		os.Exit(1)
	}
}

func run(names []string) error {
	if len(names) == 0 {
		listed, err := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
		if err != nil {
			return fmt.Errorf("list files: %w", err)
		}
		names = strings.Split(strings.TrimRight(string(listed), "\x00"), "\x00")
	}
	found := 0
	for _, name := range names {
		read := readerOf(name)
		if read == nil {
			continue
		}
		content, err := os.ReadFile(name)
		if os.IsNotExist(err) {
			continue // Deleted, but not yet from the index.
		}
		if err != nil {
			return err
		}
		if bytes.Contains(content[:min(len(content), 500)], []byte("DO NOT EDIT")) {
			continue
		}
		for _, passage := range read(name, content) {
			for _, hit := range check(name, passage.text) {
				found++
				fmt.Printf("%s:%d: %q: use %s\n", name, passage.line, hit.text, hit.instead)
			}
		}
	}
	if found > 0 {
		return fmt.Errorf("%d words to replace; hack/wording/words.go lists them with the words to use", found)
	}
	return nil
}
