// SPDX-License-Identifier: Apache-2.0

package monitoring

// example contains series for one alert, one sample per minute, as in Prometheus's unit tests.
type example struct {
	// bad are series for which the alert fires, well those for which it does not.
	bad, well []string
	// after is the number of minutes of the evaluation.
	after int
	// says is the summary of the alert for bad.
	says string
}

const (
	server     = `job="roadstead-apiserver",namespace="x",instance="a"`
	other      = `job="roadstead-apiserver",namespace="x",instance="b"`
	controller = `job="roadstead-controller",namespace="x",instance="c"`
	standby    = `job="roadstead-controller",namespace="x",instance="d"`
	domains    = `group="takaro.roadstead.dev"`
)

// examples are the examples of every alert, by name.
var examples = map[string]example{
	"RoadsteadAPIUnavailable": {
		bad: []string{
			`aggregator_unavailable_apiservice{name="v1alpha1.takaro.roadstead.dev",instance="k1"} 0x4 1x20`,
			`aggregator_unavailable_apiservice{name="v1alpha1.takaro.roadstead.dev",instance="k2"} 0x24`,
		},
		well: []string{
			`aggregator_unavailable_apiservice{name="v1alpha1.takaro.roadstead.dev"} 0 1 0x20`,
			`aggregator_unavailable_apiservice{name="v1beta1.metrics.k8s.io"} 1x20`,
		},
		after: 10, says: "The API v1alpha1.takaro.roadstead.dev of Roadstead is unavailable.",
	},
	"RoadsteadAPIServerDown": {
		bad:   []string{`up{` + server + `} 1x3 0x20`, `up{` + controller + `} 1x30`},
		well:  []string{`up{` + server + `} 0x20`, `up{` + other + `} 1x20`},
		after: 12, says: "No replica of roadstead-apiserver answers Prometheus.",
	},
	"RoadsteadControllerDown": {
		bad:   []string{`up{` + server + `} 1x30`},
		well:  []string{`up{` + controller + `} 1x20`},
		after: 12, says: "No replica of roadstead-controller answers Prometheus.",
	},
	"RoadsteadTargetDown": {
		bad:   []string{`up{` + server + `} 1x30`, `up{` + other + `} 0x30`},
		well:  []string{`up{` + server + `} 1x30`, `up{` + other + `} 0x5 1x30`, `up{job="else"} 0x30`},
		after: 17, says: "A replica of roadstead-apiserver does not answer Prometheus.",
	},
	"RoadsteadServerErrors": {
		bad: []string{
			`apiserver_request_total{` + server + `,` + domains + `,verb="GET",code="200"} 0+80x30`,
			`apiserver_request_total{` + server + `,` + domains + `,verb="GET",code="500"} 0+20x30`,
		},
		well: []string{
			// These are errors of clients, few server errors, and errors of kube-apiserver itself.
			`apiserver_request_total{` + server + `,` + domains + `,verb="GET",code="200"} 0+99x30`,
			`apiserver_request_total{` + server + `,` + domains + `,verb="GET",code="404"} 0+50x30`,
			`apiserver_request_total{` + server + `,` + domains + `,verb="GET",code="500"} 0+1x30`,
			`apiserver_request_total{job="apiserver",` + domains + `,verb="GET",code="503"} 0+50x30`,
		},
		after: 20, says: "20% of the requests for takaro.roadstead.dev fail.",
	},
	"RoadsteadServerSlow": {
		bad:   latencies(`apiserver_request_sli_duration_seconds_bucket{`+server+`,`+domains+`,verb="POST",`, "0+90x40", "0+100x40"),
		well:  latencies(`apiserver_request_sli_duration_seconds_bucket{`+server+`,`+domains+`,verb="POST",`, "0+100x40", "0+100x40"),
		after: 35, says: "POST of Roadstead's objects takes 4.6s (p99).",
	},
	"RoadsteadAuthorizationFailing": {
		bad: []string{
			`roadstead_authorizer_requests_total{` + server + `,decision="error",answer="host"} 0+10x30`,
			`roadstead_authorizer_requests_total{` + server + `,decision="allow",answer="cache"} 0+90x30`,
		},
		well: []string{
			`roadstead_authorizer_requests_total{` + server + `,decision="deny",answer="host"} 0+10x30`,
			`roadstead_authorizer_requests_total{` + server + `,decision="allow",answer="cache"} 0+90x30`,
		},
		after: 15, says: "roadstead-apiserver cannot authorize requests.",
	},
	"RoadsteadStoreRefused": {
		bad: []string{`roadstead_store_identity_state{` + server + `,state="Serving"} 0x20`, `roadstead_store_identity_state{` + server +
			`,state="StoreEmpty"} 1x20`},
		well: []string{`roadstead_store_identity_state{` + server + `,state="Serving"} 0 1x20`, `roadstead_store_identity_state{` + server +
			`,state="HostUnknown"} 1 0x20`, `roadstead_store_identity_state{` + other + `,state="StoreUnreachable"} 1x20`},
		after: 4, says: "roadstead-apiserver refuses its store: StoreEmpty.",
	},
	"RoadsteadStoreUnreachable": {
		bad: []string{`roadstead_store_identity_state{` + server + `,state="StoreUnreachable"} 0x20`, `roadstead_store_identity_state{` +
			other + `,state="StoreUnreachable"} 1x20`},
		well: []string{`roadstead_store_identity_state{` + server + `,state="StoreUnreachable"} 0 1 0x20`, `roadstead_store_identity_state{` +
			server + `,state="StoreEmpty"} 1x20`},
		after: 4, says: "roadstead-apiserver cannot reach its etcd.",
	},
	"RoadsteadEncryptionSeedMissing": {
		bad:   []string{`roadstead_requests_refused{` + server + `,cause="encryption",resource="domains.takaro.roadstead.dev"} 1x10`},
		well:  []string{`roadstead_requests_refused{` + server + `,cause="store-identity",resource=""} 1x10`},
		after: 3, says: "A seed that domains.takaro.roadstead.dev were encrypted with is missing.",
	},
	"RoadsteadOnceSecretMissing": {
		bad: []string{
			`roadstead_once_secret{` + server + `,secret="roadstead-encryption",fingerprint="f1",state="current"} 1x10`,
			`roadstead_once_secret{` + server + `,secret="roadstead-encryption",fingerprint="f2",state="missing"} 1x10`,
		},
		well: []string{
			// Another replica restores the value from memory.
			`roadstead_once_secret{` + server + `,secret="roadstead-encryption",fingerprint="f1",state="missing"} 1 stale`,
			`roadstead_once_secret{` + server + `,secret="roadstead-encryption",fingerprint="f1",state="current"} _ 1x10`,
			`roadstead_once_secret{` + other + `,secret="roadstead-encryption",fingerprint="f1",state="remembered"} 1x10`,
		},
		after: 3, says: "A value of Secret roadstead-encryption that is in use is lost.",
	},
	"RoadsteadEncryptionSeedsDiffer": {
		bad: []string{
			`roadstead_encryption_seed{` + server + `,seed="s1",use="write"} 1x20`,
			`roadstead_encryption_seed{` + other + `,seed="s2",use="write"} 1x20`,
		},
		well: []string{
			// The seed is changed: both replicas know both seeds, and one switches first.
			`roadstead_encryption_seed{` + server + `,seed="s1",use="write"} 1x20`,
			`roadstead_encryption_seed{` + server + `,seed="s2",use="read"} 1x20`,
			`roadstead_encryption_seed{` + other + `,seed="s1",use="write"} 1x20`,
			`roadstead_encryption_seed{` + other + `,seed="s2",use="write"} 1x3 stale`,
		},
		after: 12, says: "Replicas of roadstead-apiserver encrypt with 2 different seeds.",
	},
	"RoadsteadEmbeddedStoreFilling": {
		bad:   store(`1.8e9`, true),
		well:  append(store(`1.4e9`, true), `apiserver_storage_size_bytes{`+other+`,storage_cluster_id="etcd-elsewhere"} 7e9x80`),
		after: 62, says: "The embedded etcd of Roadstead is 83.82% full.",
	},
	"RoadsteadEmbeddedStoreFull": {
		bad:   store(`2.1e9`, true),
		well:  store(`7e9`, false),
		after: 7, says: "The embedded etcd of Roadstead is full or almost full.",
	},
	"RoadsteadCertificateNotRenewed": {
		// The clock of these tests starts in 1970: 90 days, 121 days, and no certificate.
		bad: []string{`roadstead_serving_certificate_expiration_timestamp_seconds{` + server + `} 7776000x80`},
		well: []string{`roadstead_serving_certificate_expiration_timestamp_seconds{` + server + `} 10454400x80`,
			`roadstead_serving_certificate_expiration_timestamp_seconds{` + other + `} 0x80`},
		after: 62, says: "The certificate of roadstead-apiserver is not renewed and expires in 89d 22h 58m 0s.",
	},
	"RoadsteadHostRightsMissing": {
		bad: []string{`roadstead_host_rights_missing{` + server + `,part="ResourceQuota"} 1x10`, `roadstead_host_rights_missing{` + other +
			`,part="ResourceQuota"} 0x10`},
		well: []string{
			`roadstead_host_rights_missing{` + server + `,part="ResourceQuota"} 0x10`,
			// Of the manifests that are applied together, the ClusterRole is the last.
			`roadstead_host_rights_missing{` + server + `,part="MutatingAdmissionPolicy"} 1x2 0x8`,
		},
		after: 7, says: "roadstead-apiserver lacks a permission in the cluster that ResourceQuota needs.",
	},
	"RoadsteadAuditEventsDropped": {
		bad: []string{`apiserver_audit_error_total{` + server + `,plugin="buffered"} _x20 3x10`},
		well: []string{`apiserver_audit_error_total{` + server + `,plugin="buffered"} 3x40`, `apiserver_audit_error_total{` + other +
			`,plugin="buffered"} 0x40`},
		after: 22, says: "roadstead-apiserver drops audit events (buffered).",
	},
	"RoadsteadControllerWithoutLeader": {
		bad: []string{`leader_election_master_status{` + controller + `,name="roadstead-controller"} 0x10`, `leader_election_master_status{` +
			standby + `,name="roadstead-controller"} 0x10`},
		well: []string{`leader_election_master_status{` + controller + `,name="roadstead-controller"} 0x10`, `leader_election_master_status{` +
			standby + `,name="roadstead-controller"} 1x10`},
		after: 7, says: "No replica of roadstead-controller is the leader.",
	},
	"RoadsteadWorkqueueStuck": {
		bad: []string{
			`workqueue_depth{` + controller + `,name="Domain",controller="Domain",priority="0"} 3x40`,
			`workqueue_work_duration_seconds_count{` + controller + `,name="Domain",controller="Domain"} 7x40`,
		},
		well: []string{
			`workqueue_depth{` + controller + `,name="Domain",controller="Domain",priority="0"} 500x40`,
			`workqueue_work_duration_seconds_count{` + controller + `,name="Domain",controller="Domain"} 7+1x40`,
			`workqueue_depth{` + standby + `,name="Domain",controller="Domain",priority="0"} 0x40`,
			`workqueue_work_duration_seconds_count{` + standby + `,name="Domain",controller="Domain"} 0x40`,
		},
		after: 30, says: "The queue Domain of roadstead-controller is stuck.",
	},
	"RoadsteadWorkqueueSlow": {
		bad: []string{
			`workqueue_queue_duration_seconds_bucket{` + controller + `,name="User",le="100"} 0+1x60`,
			`workqueue_queue_duration_seconds_bucket{` + controller + `,name="User",le="1000"} 0+100x60`,
			`workqueue_queue_duration_seconds_bucket{` + controller + `,name="User",le="+Inf"} 0+100x60`,
		},
		well: []string{
			`workqueue_queue_duration_seconds_bucket{` + controller + `,name="User",le="10"} 0+1x60`,
			`workqueue_queue_duration_seconds_bucket{` + controller + `,name="User",le="100"} 0+100x60`,
			`workqueue_queue_duration_seconds_bucket{` + controller + `,name="User",le="+Inf"} 0+100x60`,
		},
		after: 45, says: "Objects wait 16m 30s in the queue User of roadstead-controller (p99).",
	},
	"RoadsteadReconcileFailing": {
		bad: []string{
			`roadstead_reconcile_total{` + controller + `,kind="Domain",result="failed"} 0+3x60`,
			`roadstead_reconcile_total{` + controller + `,kind="Domain",result="done"} 0+1x60`,
		},
		well: []string{
			`roadstead_reconcile_total{` + controller + `,kind="Domain",result="failed"} 0+1x60`,
			`roadstead_reconcile_total{` + controller + `,kind="Domain",result="waiting"} 0+3x60`,
			// Takaro servers of users do not answer.
			`roadstead_reconcile_total{` + controller + `,kind="User",result="outside"} 0+9x60`,
		},
		after: 35, says: "75% of the reconciliations of Domains fail.",
	},
	"RoadsteadTakaroCircuitOpen": {
		bad: []string{`roadstead_takaro_circuit_open{` + controller + `,endpoint="api.takaro.example",scope="installation"} 1x20`},
		well: []string{
			`roadstead_takaro_circuit_open{` + controller + `,endpoint="api.takaro.example",scope="installation"} 1x5 0x15`,
			`roadstead_takaro_circuit_open{` + controller + `,endpoint="api.takaro.example",scope="tenant"} 3x20`,
		},
		after: 17, says: "Takaro at api.takaro.example does not answer.",
	},
	"RoadsteadCRDGuardFailing": {
		// The series begins with the first failure.
		bad: []string{`roadstead_crdguard_requests_total{` + server + `,decision="failed",operation="",verdict=""} _x20 1x5`},
		well: []string{`roadstead_crdguard_requests_total{` + server + `,decision="denied",operation="update",verdict="B"} 0+1x25`,
			`roadstead_crdguard_requests_total{` + server + `,decision="failed",operation="",verdict=""} 3x25`},
		after: 24, says: "A review of the CRD guard failed because of a defect.",
	},
	"RoadsteadCRDGuardFailsOpen": {
		bad: []string{`apiserver_admission_webhook_fail_open_count{instance="k1",name="crdguard.roadstead.dev",type="validating"} 2x20 3x5`},
		well: []string{`apiserver_admission_webhook_fail_open_count{instance="k1",name="crdguard.roadstead.dev",type="validating"} 2x25`,
			`apiserver_admission_webhook_fail_open_count{instance="k1",name="else.example.com",type="validating"} 0+1x25`},
		after: 24, says: "Changes of CustomResourceDefinitions are applied without a review by the CRD guard.",
	},
	"RoadsteadCRDChangeMissed": {
		// A controller detects a missed change when it starts, before its metrics are scraped. The
		// alert fires whether the webhook was removed for the change or is installed.
		bad: []string{
			`roadstead_crdguard_missed_total{` + controller + `} 0x20`, `roadstead_crdguard_missed_total{` + standby + `} _x20 1x5`,
			`roadstead_crdguard_installed{` + server + `} 1x15 0x10`, `roadstead_crdguard_installed{` + other + `} 1x15 0x10`,
		},
		well:  []string{`roadstead_crdguard_missed_total{` + controller + `} 0x25`, `roadstead_crdguard_missed_total{` + standby + `} _x20 0x5`},
		after: 24, says: "A breaking change of a CustomResourceDefinition was applied without a review by the CRD guard.",
	},
}

// latencies returns the buckets of a histogram: up to one second, and all.
func latencies(begin, second, all string) []string {
	return []string{begin + `le="1"} ` + second, begin + `le="5"} ` + all, begin + `le="+Inf"} ` + all}
}

// store returns the size of an etcd, with the quota of the embedded one or without any.
func store(size string, embedded bool) []string {
	series := []string{`apiserver_storage_size_bytes{` + server + `,storage_cluster_id="etcd-0"} ` + size + `x80`}
	if embedded {
		series = append(series, `roadstead_embedded_store_quota_bytes{`+server+`} 2147483648x80`)
	}
	return series
}
