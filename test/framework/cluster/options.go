// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// startLimit bounds Start. A warm start takes a few seconds; a machine busy with a compile takes longer.
const startLimit = 2 * time.Minute

// Options say what Start starts. The zero value is a full cluster in a temporary folder.
type Options struct {
	// Dir is the work folder: certificates, logs, etcd's data, kubeconfigs. Data, logs and
	// certificates of an earlier run in it are removed first. Empty: a temporary folder, which
	// Stop removes.
	Dir string
	// Minimal leaves out the controller-manager, scheduler and kwok: objects are only stored.
	Minimal bool
	// ToolsDir is the folder that hack/tools/build.sh filled. Empty: asked of that script.
	ToolsDir string
	// KubeAPIServerArgs come after the flags that Start gives, so they win ("--v=4").
	KubeAPIServerArgs []string
	// EtcdArgs are the same for etcd, which does not sync its data to disk unless told to ("--unsafe-no-fsync=false").
	EtcdArgs []string
	// EtcdData is a folder that SaveEtcd wrote: etcd begins with a copy of these data, as in a cluster that is restored
	// from a backup. Certificates, ports and addresses are new. Empty: no objects.
	EtcdData string
	// AuditLevel ("Metadata", "Request" or "RequestResponse") turns the audit log of every request
	// on, see Cluster.AuditLog. Empty: no audit log.
	AuditLevel string
	// Detached lets the programs outlive this process. By default they die with it, even when it is
	// killed.
	Detached bool
	// OnStart is told of every process right after it was started, before it is ready. May be nil.
	OnStart func(Process)
	// Logf is told what happens. Nil: silence.
	Logf func(format string, args ...any)
}

// Process is one running program of a cluster.
type Process struct {
	// Name is one of the component names of this package.
	Name string
	// PID is the operating system's process id.
	PID int
	// Log is the file that takes its standard output and error.
	Log string
	// Address is the "host:port" on which it serves.
	Address string
}

// prepare fills in the defaults and makes the work folder. It tells whether that is a temporary one.
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
