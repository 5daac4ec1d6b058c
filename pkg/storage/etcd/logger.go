// SPDX-License-Identifier: Apache-2.0

package etcd

import (
	"go.etcd.io/etcd/client/pkg/v3/logutil"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
)

// newLogger returns a logger for etcd (JSON on standard error), and the level with which it can be
// silenced. dir is the data folder of the member.
func newLogger(level, dir string) (func(*embed.Config) error, zap.AtomicLevel, error) {
	threshold := zap.NewAtomicLevelAt(logutil.ConvertToZapLevel(level))
	config := logutil.DefaultZapLoggerConfig
	config.Level = threshold
	logger, err := config.Build()
	if err != nil {
		return nil, threshold, err
	}
	return embed.NewZapLoggerBuilder(explainFullDisk(logger, dir)), threshold, nil
}
