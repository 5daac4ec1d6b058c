// SPDX-License-Identifier: Apache-2.0

package etcd

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
)

func TestFullDisk_IsOneLine(t *testing.T) {
	full := &os.PathError{Op: "write", Path: "/data/etcd/member/wal/0.wal", Err: syscall.ENOSPC}
	for name, c := range map[string]struct {
		level zapcore.Level
		err   error
		ends  bool
	}{
		"fatal, wrapped":     {zapcore.FatalLevel, fmt.Errorf("save: %w", full), true},
		"panic":              {zapcore.PanicLevel, full, true},
		"only the text":      {zapcore.FatalLevel, errors.New("wal: no space left on device"), true},
		"over the quota":     {zapcore.FatalLevel, syscall.EDQUOT, true},
		"a warning":          {zapcore.WarnLevel, full, false},
		"another fatal":      {zapcore.FatalLevel, syscall.EIO, false},
		"fatal, no error":    {zapcore.FatalLevel, nil, false},
		"an error, no fatal": {zapcore.ErrorLevel, full, false},
	} {
		t.Run(name, func(t *testing.T) {
			logged, entries := observer.New(zapcore.DebugLevel)
			out, codes := &bytes.Buffer{}, []int{}
			core := fullDiskCore{Core: logged, dir: "/data/etcd", out: out, exit: func(code int) {
				codes = append(codes,
					code)
			}}.With([]zapcore.Field{zap.String("member", "1")})
			require.NotNil(t, core.Check(zapcore.Entry{Level: c.level}, nil))
			require.NoError(t, core.Write(zapcore.Entry{Level: c.level, Message: "failed to save Raft hard state and entries"},
				[]zapcore.Field{zap.Error(c.err)}))
			if !c.ends {
				require.Empty(t, codes)
				require.Empty(t, out.String())
				require.Equal(t, 1, entries.Len())
				return
			}
			require.Equal(t, []int{1}, codes)
			require.Zero(t, entries.Len(), "no stack trace beside the line")
			require.Regexp(t, `^roadstead-apiserver: the volume of the embedded store \(/data/etcd\) is full[^\n]+\n$`, out.String())
		})
	}
}

func TestFullDisk_ErrorOfTheStart(t *testing.T) {
	err := explained("/data/etcd", fmt.Errorf("mkdir: %w", syscall.ENOSPC))
	require.ErrorContains(t, err, "is full")
	require.ErrorContains(t, explained("/data/etcd", syscall.EACCES), "embedded etcd in /data/etcd: permission denied")
}
