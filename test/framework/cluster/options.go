// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// startLimit bounds Start. A warm start takes a few seconds. A start during a compilation takes
// longer.
const startLimit = 2 * time.Minute

// Options configure Start. The zero value is a full cluster in a temporary directory.
type Options struct {
	// Dir is the working directory for certificates, logs, etcd data and kubeconfigs. Start first
	// removes the data, logs and certificates of an earlier run. Empty: a temporary directory,
	// which Stop removes.
	Dir string
	// Minimal omits the controller-manager, the scheduler and kwok: objects are only stored.
	Minimal bool
	// ToolsDir is the output directory of hack/tools/build.sh. Empty: the directory that the script
	// reports.
	ToolsDir string
	// KubeAPIServerArgs are appended to the flags that Start sets and override them ("--v=4").
	KubeAPIServerArgs []string
	// EtcdArgs are appended to the flags of etcd. By default etcd does not sync its data to disk;
	// "--unsafe-no-fsync=false" changes that.
	EtcdArgs []string
	// EtcdData is a directory written by SaveEtcd. etcd starts with a copy of this data, like a
	// cluster restored from a backup. Certificates, ports and addresses are new. Empty: no objects.
	EtcdData string
	// AuditLevel ("Metadata", "Request" or "RequestResponse") enables the audit log for every
	// request, see Cluster.AuditLog. Empty: no audit log.
	AuditLevel string
	// Detached lets the programs outlive this process. By default they are killed when this process
	// exits, even when it is killed.
	Detached bool
	// OnStart is called for every process right after its start, before it is ready. May be nil.
	OnStart func(Process)
	// Logf logs progress. Nil: no output.
	Logf func(format string, args ...any)
}

// Process is one running program of a cluster.
type Process struct {
	// Name is one of the component names of this package.
	Name string
	// PID is the process ID.
	PID int
	// Log is the file with the standard output and standard error of the process.
	Log string
	// Address is the "host:port" on which the process serves.
	Address string
}

// prepare sets the defaults and creates the working directory. It reports whether that is a
// temporary directory.
func (o *Options) prepare() (temporary bool, err error) {
	if o.Logf == nil {
		o.Logf = func(string, ...any) {}
	}
	if o.OnStart == nil {
		o.OnStart = func(Process) {}
	}
	switch o.AuditLevel {
	case "", "Metadata", "Request", "RequestResponse":
	default:
		return false, fmt.Errorf("cluster: AuditLevel %q is none of Metadata, Request, RequestResponse", o.AuditLevel)
	}
	if o.ToolsDir == "" {
		if o.ToolsDir, err = FindTools(); err != nil {
			return false, err
		}
	}
	if err := checkTools(o.ToolsDir, o.Minimal); err != nil {
		return false, err
	}
	if o.Dir == "" {
		o.Dir, err = os.MkdirTemp("", "roadstead-cluster-")
		return true, err
	}
	if o.Dir, err = filepath.Abs(o.Dir); err != nil {
		return false, err
	}
	return false, os.MkdirAll(o.Dir, 0o755)
}
