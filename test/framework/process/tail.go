// SPDX-License-Identifier: Apache-2.0

package process

import (
	"bytes"
	"os"
)

// Tail returns the last lines of a log for an error message. If the log cannot be read, it returns
// the reason.
func Tail(log string, lines int) string {
	const most = 16 << 10
	file, err := os.Open(log)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return err.Error()
	}
	text := make([]byte, min(info.Size(), most))
	if _, err := file.ReadAt(text, info.Size()-int64(len(text))); err != nil {
		return err.Error()
	}
	split := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	return string(bytes.Join(split[max(0, len(split)-lines):], []byte("\n")))
}
