// SPDX-License-Identifier: Apache-2.0

//go:build integration

package framework

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"roadstead.dev/roadstead/pkg/storage/epoch"
)

// checkLog returns an error if the log of roadstead-apiserver contains an error or a missing right.
// With the shipped manifests it must contain neither, because all failures of the clients are
// client errors.
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
			Err string `json:"err"`
			// Level is set only by etcd.
			Level string `json:"level"`
		}
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			bad = append(bad, "not JSON: "+line)
			continue
		}
		// An unknown certificate or token is an error of the caller, but the generic server logs it
		// as an error. The caches of a server that refuses its store wait for the store and log an
		// error when they stop. The request for the Lease that is in flight at that time is canceled.
		isError := entry.V == nil && entry.Level != "warn" && entry.Level != "info" && entry.Msg != "Unable to authenticate the request" &&
			!strings.Contains(entry.Msg, epoch.ErrUnbound.Error()) &&
			(entry.Msg != "Error retrieving lease lock" || entry.Err != context.Canceled.Error())
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
