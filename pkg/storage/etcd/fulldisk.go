// SPDX-License-Identifier: Apache-2.0

package etcd

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// isDiskFull reports whether an error says that a volume has no space left. etcd keeps only the text of some errors.
func isDiskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) ||
		err != nil && strings.Contains(err.Error(), syscall.ENOSPC.Error())
}

// diskFull returns the error about a full volume, for an administrator.
func diskFull(dir string) error {
	return fmt.Errorf("the volume of the embedded store (%s) is full, so the server exits: enlarge the volume or delete other files on it; "+
		"the server then restarts automatically, and no acknowledged write is lost", dir)
}

// explainFullDisk returns a logger that ends the process with one line if etcd ends it because the
// volume is full. etcd itself logs an internal step with a stack trace, at each start.
func explainFullDisk(logger *zap.Logger, dir string) *zap.Logger {
	return logger.WithOptions(zap.WrapCore(func(core zapcore.Core) zapcore.Core {
		return fullDiskCore{Core: core, dir: dir, out: os.Stderr, exit: os.Exit}
	}))
}

// fullDiskCore passes on all entries except for the last one of a process whose volume is full.
type fullDiskCore struct {
	zapcore.Core
	dir  string
	out  io.Writer
	exit func(code int)
}

// With implements zapcore.Core.
func (c fullDiskCore) With(fields []zapcore.Field) zapcore.Core {
	c.Core = c.Core.With(fields)
	return c
}

// Check implements zapcore.Core.
func (c fullDiskCore) Check(entry zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if c.Enabled(entry.Level) {
		return checked.AddCore(entry, c)
	}
	return checked
}

// Write implements zapcore.Core.
func (c fullDiskCore) Write(entry zapcore.Entry, fields []zapcore.Field) error {
	if entry.Level >= zapcore.DPanicLevel {
		for _, field := range fields {
			if err, ok := field.Interface.(error); ok && field.Type == zapcore.ErrorType && isDiskFull(err) {
				_, _ = fmt.Fprintln(c.out, "roadstead-apiserver:", diskFull(c.dir))
				c.exit(1)
				return nil
			}
		}
	}
	return c.Core.Write(entry, fields)
}

// explained returns the error of a member that did not start.
func explained(dir string, err error) error {
	if isDiskFull(err) {
		return fmt.Errorf("%w: %w", diskFull(dir), err)
	}
	return fmt.Errorf("embedded etcd in %s: %w", dir, err)
}
