// SPDX-License-Identifier: Apache-2.0

package options

import (
	"time"

	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	basecompatibility "k8s.io/component-base/compatibility"

	"roadstead.dev/roadstead/pkg/admission"
	"roadstead.dev/roadstead/pkg/apiserver/filters/bodylimit"
	"roadstead.dev/roadstead/pkg/util/version"
)

// watchGrace is the maximum time for watches to end when the server stops. Without it the listener
// waits for the request timeout (60 s) for connections with an open watch, and there is always an
// open watch.
const watchGrace = 10 * time.Second

// newServerRun returns the generic server's run options with the defaults of Roadstead. By default
// there is no GOAWAY, which spreads the load over replicas at the cost of failing writes: the
// aggregation layer cannot repeat a request with a body if its connection ends, and returns 503
// (k/k#135285). The manifests for several replicas enable it.
func newServerRun() *genericoptions.ServerRunOptions {
	options := genericoptions.NewServerRunOptionsForComponent(basecompatibility.DefaultKubeComponent, version.NewRegistry())
	// The largest limit of any resource. The filter bodylimit applies smaller ones to most of them.
	options.MaxRequestBodyBytes = bodylimit.Large
	options.ShutdownWatchTerminationGracePeriod = watchGrace
	return options
}

// newEtcd returns the generic server's etcd options with the embedded etcd as the default.
func newEtcd() *genericoptions.EtcdOptions {
	options := genericoptions.NewEtcdOptions(storagebackend.NewDefaultConfig(StoragePrefix, nil))
	options.StorageConfig.Transport.ServerList = []string{EmbeddedEtcd}
	options.DefaultStorageMediaType = "application/vnd.kubernetes.protobuf"
	return options
}

// newSecureServing returns the generic server's options for the listener.
//
// The streams per HTTP/2 connection stay at the default of kube-apiserver, which is 100. The
// generic server's recommended options for aggregated servers have 1000, because all clients
// share the connections of the aggregation layer. But each pod of the cluster can open
// connections to this server, and each stream may buffer 256 KiB before its request is
// authenticated. The aggregation layer opens further connections when all streams are in use.
func newSecureServing() *genericoptions.SecureServingOptionsWithLoopback {
	options := genericoptions.NewSecureServingOptions()
	options.BindPort = 8443
	// No self-signed certificate is created: the Secret roadstead-serving or the flags contain the certificate.
	options.ServerCert.CertDirectory, options.ServerCert.PairName = "", ""
	return options.WithLoopback()
}

// newAdmission returns the plugins of the generic server and of Roadstead, in the reviewed order.
func newAdmission() *genericoptions.AdmissionOptions {
	options := genericoptions.NewAdmissionOptions()
	admission.Register(options.Plugins)
	options.RecommendedPluginOrder = admission.Order()
	return options
}

// auditBuffer is the maximum number of events that wait for the audit log. With truncation, as in
// the manifests, an event has up to 100 KB, so a blocked log takes up to 100 MB.
const auditBuffer = 1000

// newAudit returns the generic server's audit options, with a log that never blocks requests: the
// reader of the standard output of a container may block, and would block the API. Events are
// dropped if the buffer is full, and counted in apiserver_audit_error_total.
func newAudit() *genericoptions.AuditOptions {
	options := genericoptions.NewAuditOptions()
	options.LogOptions.BatchOptions.Mode = genericoptions.ModeBatch
	options.LogOptions.BatchOptions.BatchConfig.BufferSize = auditBuffer
	return options
}
