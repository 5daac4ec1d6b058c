// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"roadstead.dev/roadstead/test/framework/install"
)

// writes returns the number of writes of the controller to the cluster in a window, without those
// of its Lease, from the audit log of kube-apiserver.
func writes(log string, from, to time.Time) (int, error) {
	file, err := os.Open(log)
	if err != nil {
		return 0, err
	}
	defer func() { _ = file.Close() }()
	user := "system:serviceaccount:" + install.Namespace + ":" + install.Controller
	lines, count := bufio.NewReaderSize(file, 1<<20), 0
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return count, nil
		}
		if err != nil {
			return 0, err
		}
		if !bytes.Contains(line, []byte(user)) {
			continue
		}
		var event auditv1.Event
		if err := json.Unmarshal(line, &event); err != nil {
			return 0, fmt.Errorf("%s: %w", log, err)
		}
		if at := event.RequestReceivedTimestamp.Time; at.Before(from) || at.After(to) {
			continue
		}
		if isWrite(&event, user) {
			count++
		}
	}
}

func isWrite(event *auditv1.Event, user string) bool {
	if event.User.Username != user || event.Stage != auditv1.StageResponseComplete || event.ObjectRef == nil {
		return false
	}
	switch event.Verb {
	case "get", "list", "watch":
		return false
	}
	// Reviews such as SubjectAccessReview store nothing.
	return event.ObjectRef.Resource != "leases" && !strings.HasSuffix(event.ObjectRef.Resource, "reviews")
}
