// SPDX-License-Identifier: Apache-2.0

package options

import "k8s.io/apimachinery/pkg/util/sets"

// allowedFlags are the flags of the generic server that users of Roadstead may set.
var allowedFlags = sets.New(
	// generic
	"advertise-address", "cors-allowed-origins", "emulated-version", "external-hostname", "feature-gates", "goaway-chance",
	"livez-grace-period", "max-mutating-requests-inflight", "max-requests-inflight", "min-request-timeout",
	"request-timeout", "shutdown-delay-duration", "shutdown-send-retry-after", "shutdown-watch-termination-grace-period",
	"storage-initialization-timeout", "strict-transport-security-directives",
	// etcd
	"default-watch-cache-size", "delete-collection-workers", "encryption-provider-config",
	"encryption-provider-config-automatic-reload", "etcd-cafile", "etcd-certfile", "etcd-compaction-interval",
	"etcd-count-metric-poll-period", "etcd-db-metric-poll-interval", "etcd-healthcheck-timeout", "etcd-keyfile",
	"etcd-readycheck-timeout", "etcd-servers", "watch-cache-sizes",
	// secure serving
	"bind-address", "disable-http2-serving", "http2-max-streams-per-connection", "permit-address-sharing",
	"permit-port-sharing", "secure-port", "tls-cert-file", "tls-cipher-suites", "tls-curve-preferences", "tls-min-version",
	"tls-private-key-file", "tls-sni-cert-key",
	// authentication, authorization
	"authentication-kubeconfig", "authentication-skip-lookup", "authentication-token-webhook-cache-ttl",
	"authentication-tolerate-lookup-failure", "authorization-always-allow-paths", "authorization-kubeconfig",
	"authorization-webhook-cache-authorized-ttl", "authorization-webhook-cache-unauthorized-ttl", "client-ca-file",
	"requestheader-allowed-names", "requestheader-client-ca-file", "requestheader-extra-headers-prefix",
	"requestheader-group-headers", "requestheader-uid-headers", "requestheader-username-headers",
	// audit
	"audit-log-batch-buffer-size", "audit-log-batch-max-size", "audit-log-batch-max-wait",
	"audit-log-batch-throttle-burst", "audit-log-batch-throttle-enable", "audit-log-batch-throttle-qps",
	"audit-log-compress", "audit-log-format", "audit-log-maxage", "audit-log-maxbackup", "audit-log-maxsize",
	"audit-log-mode", "audit-log-path", "audit-log-truncate-enabled", "audit-log-truncate-max-batch-size",
	"audit-log-truncate-max-event-size", "audit-log-version", "audit-policy-file", "audit-webhook-batch-buffer-size",
	"audit-webhook-batch-initial-backoff", "audit-webhook-batch-max-size", "audit-webhook-batch-max-wait",
	"audit-webhook-batch-throttle-burst", "audit-webhook-batch-throttle-enable", "audit-webhook-batch-throttle-qps",
	"audit-webhook-config-file", "audit-webhook-initial-backoff", "audit-webhook-mode", "audit-webhook-truncate-enabled",
	"audit-webhook-truncate-max-batch-size", "audit-webhook-truncate-max-event-size", "audit-webhook-version",
	// features, cluster, admission, tracing, API enablement
	"admission-control-config-file", "contention-profiling", "disable-admission-plugins", "enable-admission-plugins",
	"enable-priority-and-fairness", "kubeconfig", "profiling", "runtime-config", "tracing-config-file",
)

// refusedFlags are the flags of the generic server that are left out, each with the reason.
var refusedFlags = map[string]string{
	"cert-dir":                                    "the server never generates self-signed certificates",
	"debug-socket-path":                           "serves profiles without authorization",
	"emulation-forward-compatible":                "for kube-apiserver's own API migrations",
	"enable-garbage-collector":                    "must be on: finalizers and owner references depend on it",
	"etcd-prefix":                                 "with another prefix the store would be empty",
	"etcd-servers-overrides":                      "one store holds everything, so that it is backed up as one",
	"lease-reuse-duration-seconds":                "no object of Roadstead expires in etcd",
	"min-compatibility-version":                   "for kube-apiserver's own upgrades",
	"runtime-config-emulation-forward-compatible": "for kube-apiserver's own API migrations",
	"storage-backend":                             "there is only one",
	"storage-media-type":                          "objects are stored as protobuf, which golden files and tests require",
	"watch-cache":                                 "must be on: streaming lists and bookmarks need it",
}
