// SPDX-License-Identifier: Apache-2.0

//go:build integration

package framework

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"roadstead.dev/roadstead/pkg/storage/epoch"
)

// checkLog fails when the log of roadstead-apiserver tells of a missing right or of an error: with the shipped manifests
// and clients that only make their own mistakes it must hold neither.
func checkLog(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	var bad []string
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		var entry struct {
			V   *int   `json:"v"`
			Msg string `json:"msg"`
			// Level is set by etcd only.
			Level string `json:"level"`
		}
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			bad = append(bad, "not JSON: "+line)
			continue
		}
		// A caller whose certificate or token is not known is his mistake, logged as an error by the generic server. The caches of
		// a server that refuses its store wait for it, and log when they end.
		isError := entry.V == nil && entry.Level != "warn" && entry.Level != "info" && entry.Msg != "Unable to authenticate the request" &&
			!strings.Contains(entry.Msg, epoch.ErrUnbound.Error())
		if isError || strings.Contains(strings.ToLower(line), "forbidden") {
			bad = append(bad, line)
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	if len(bad) > 0 {
		return fmt.Errorf("%d lines of %s tell of errors or missing rights:\n%s", len(bad), path, strings.Join(bad[:min(len(bad), 20)], "\n"))
	}
	return nil
}
