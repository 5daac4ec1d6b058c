// SPDX-License-Identifier: Apache-2.0

package monitoring

import "maps"

func init() { maps.Copy(examples, objectExamples) }

// objectExamples are the examples of the alerts about objects and about what all objects need, by
// name.
var objectExamples = map[string]example{
	"RoadsteadObjectsBlocked": {
		// The leader changes, and another replica counts the same objects.
		bad: []string{
			`roadstead_objects_blocked{` + controller + `,kind="MockServer",reason="RedisUnavailable"} 2x40 stale`,
			`roadstead_objects_blocked{` + standby + `,kind="MockServer",reason="RedisUnavailable"} _x42 2x70`,
		},
		well: []string{
			`roadstead_objects_blocked{` + controller + `,kind="MockServer",reason="RedisUnavailable"} 2x50 stale`,
			// Objects with errors in their specs are counted by phase only.
			`roadstead_objects{` + controller + `,kind="Domain",phase="Error"} 2x70`,
		},
		after: 70, says: "2 MockServer objects are not Ready (RedisUnavailable).",
	},
	"RoadsteadDeletionStuck": {
		// The clock of these tests starts in 1970. The age of a deletion does not change when the
		// leader changes.
		bad: []string{
			`roadstead_objects_oldest_deletion_timestamp_seconds{` + controller + `,kind="Domain"} 60x30 stale`,
			`roadstead_objects_oldest_deletion_timestamp_seconds{` + standby + `,kind="Domain"} _x32 60x80`,
		},
		// There are many deletions, each of which ends.
		well:  []string{`roadstead_objects_oldest_deletion_timestamp_seconds{` + controller + `,kind="Domain"} 0+60x80`},
		after: 67, says: "The deletion of a Domain has lasted 1h 6m 0s.",
	},
	"RoadsteadDomainsRecreated": {
		// The series begins with the first lost object.
		bad: []string{`roadstead_takaro_objects_lost_total{` + controller + `,kind="Domain",scope="installation"} _x20 1x5`},
		well: []string{
			`roadstead_takaro_objects_lost_total{` + controller + `,kind="Domain",scope="installation"} 1x25`,
			`roadstead_takaro_objects_lost_total{` + controller + `,kind="Domain",scope="tenant"} 0+1x25`,
		},
		after: 24, says: "Domains no longer existed in Takaro, and were created again.",
	},
	"RoadsteadOrphansDeleted": {
		bad:   []string{`roadstead_orphans_deleted_total{` + controller + `,kind="User"} 2x20 3x5`},
		well:  []string{`roadstead_orphans_deleted_total{` + controller + `,kind="User"} 2x25`},
		after: 24, says: "Objects of namespaces that no longer exist were deleted.",
	},
	"RoadsteadOrphanSweepHeld": {
		bad: []string{
			`roadstead_held{` + controller + `,hold="NamespaceEndNotSeen",scope="installation"} 4x10`,
			`roadstead_held{` + controller + `,hold="StoreIdentity",scope="installation"} 0x10`,
		},
		well: []string{
			`roadstead_held{` + controller + `,hold="NamespaceEndNotSeen",scope="installation"} 0x10`,
			`roadstead_held{` + standby + `,hold="NamespaceEndNotSeen",scope="installation"} 0x10`,
		},
		after: 7, says: "Objects of 4 absent namespaces are kept (NamespaceEndNotSeen).",
	},
	"RoadsteadHeld": {
		bad: []string{
			`roadstead_held{` + controller + `,hold="Vanished",scope="installation"} 12x10`,
			`roadstead_held{` + standby + `,hold="Vanished",scope="installation"} 0x10`,
		},
		well: []string{
			`roadstead_held{` + controller + `,hold="Vanished",scope="installation"} 0x10`,
			`roadstead_held{` + controller + `,hold="Vanished",scope="tenant"} 12x10`,
			`roadstead_held{` + controller + `,hold="NamespaceEndNotSeen",scope="installation"} 4x10`,
		},
		after: 7, says: "12 objects are held (Vanished).",
	},
	"RoadsteadRedisDown": {
		bad: []string{`roadstead_shared_redis_up{` + controller + `} 1x3 0x20`},
		// Redis was restarted, and the other replica has no series of it.
		well:  []string{`roadstead_shared_redis_up{` + controller + `} 1x3 0x5 1x15`, `roadstead_held{` + standby + `} 0x20`},
		after: 16, says: "The installation's Redis does not answer.",
	},
	"RoadsteadRedisFull": {
		bad: []string{
			`roadstead_shared_redis_memory_used_bytes{` + controller + `} 95x30`, `roadstead_shared_redis_memory_max_bytes{` + controller +
				`} 100x30`,
		},
		well: []string{
			`roadstead_shared_redis_memory_used_bytes{` + controller + `} 80x30`, `roadstead_shared_redis_memory_max_bytes{` + controller +
				`} 100x30`,
			// The Redis has no memory limit.
			`roadstead_shared_redis_memory_used_bytes{` + standby + `} 900x30`,
		},
		after: 17, says: "The installation's Redis uses 95% of its memory.",
	},
	"RoadsteadSandboxUnavailable": {
		bad:   []string{`roadstead_sandbox_unavailable{` + controller + `} 0x30`, `roadstead_sandbox_unavailable{` + standby + `} 1x30`},
		well:  []string{`roadstead_sandbox_unavailable{` + controller + `} 1x10 0x20`},
		after: 17, says: "roadstead-controller cannot render charts on one of its nodes.",
	},
	"RoadsteadOnceSecretRestored": {
		bad: []string{`roadstead_once_secret_restored_total{` + controller + `,secret="roadstead-takaro-seed"} _x20 1x5`},
		well: []string{
			`roadstead_once_secret_restored_total{` + controller + `,secret="roadstead-takaro-seed"} 1x25`,
			`roadstead_once_secret{` + controller + `,secret="roadstead-takaro-seed",fingerprint="f1",state="current"} 1x25`,
		},
		after: 24, says: "Secret roadstead-takaro-seed was deleted or overwritten, and restored from memory.",
	},
	"RoadsteadEmbeddedStoreVolumeFilling": {
		bad:   []string{`roadstead_embedded_store_volume_free_bytes{` + server + `} 5e9x3 536870912x20`},
		well:  []string{`roadstead_embedded_store_volume_free_bytes{` + server + `} 2e9x20`},
		after: 16, says: "The volume of the embedded etcd of Roadstead has 512MiB left.",
	},
}

// guardOff is a missed change while the guard is not installed, for which RoadsteadCRDChangeMissed
// must not fire.
var guardOff = []string{
	`roadstead_crdguard_missed_total{` + controller + `} 0x20`, `roadstead_crdguard_missed_total{` + standby + `} _x20 1x5`,
	`roadstead_crdguard_installed{` + server + `} 0x25`,
}
