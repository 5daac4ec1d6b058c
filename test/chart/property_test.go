// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"path"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// optional sets a value or leaves the shipped one.
func optional(t *rapid.T, into values, name string, from *rapid.Generator[any]) {
	if rapid.Bool().Draw(t, name+" is given") {
		into[name] = from.Draw(t, name)
	}
}

func one[T any](of ...T) *rapid.Generator[any] { return rapid.SampledFrom(of).AsAny() }

func strings3(of ...any) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		return rapid.SliceOfNDistinct(rapid.SampledFrom(of), 0, 3, rapid.ID[any]).Draw(t, "list")
	})
}

var (
	truth     = rapid.Bool().AsAny()
	labelSets = rapid.Custom(func(t *rapid.T) any {
		drawn := rapid.MapOfN(rapid.StringMatching(`[a-z]([-a-z.]{0,8}[a-z])?(/[A-Za-z]{1,5})?`), rapid.StringMatching(`([A-Za-z0-9]{1,9})?`), 0,
			3).Draw(t, "labels")
		all := values{}
		for name, value := range drawn {
			all[name] = value
		}
		return all
	})
	texts = rapid.Custom(func(t *rapid.T) any { return values{"text": rapid.String().Draw(t, "annotation")} })
	name  = rapid.StringMatching(`[a-z]([-a-z0-9]{0,8}[a-z0-9])?`).AsAny()
	size  = rapid.StringMatching(`[1-9][0-9]{0,2}(Mi|Gi)`).AsAny()
	peers = one[any]([]any{}, []any{values{"namespaceSelector": values{}}}, []any{values{"ipBlock": values{"cidr": "10.0.0.0/8"}}})
	rules = one[any]([]any{}, []any{values{"ports": []any{values{"port": 443}}}})
)

// program returns values that both programs have.
func program(t *rapid.T, flags ...any) values {
	of := values{}
	optional(t, of, "logLevel", one("debug", "info", "warning", "error"))
	optional(t, of, "logFormat", one("json", "console"))
	optional(t, of, "extraArgs", strings3(flags...))
	optional(t, of, "extraEnv", one[any]([]any{}, []any{values{"name": "A", "value": "b"}}))
	optional(t, of, "resources", one[any](values{}, values{"limits": values{"cpu": 1, "memory": "1Gi"}}))
	optional(t, of, "topologySpreadConstraints", one[any]([]any{}, []any{values{"maxSkew": 1, "topologyKey": "zone",
		"whenUnsatisfiable": "DoNotSchedule"}}))
	if rapid.Bool().Draw(t, "has a volume") {
		of["extraVolumes"] = []any{values{"name": "more", "emptyDir": values{}}}
		of["extraVolumeMounts"] = []any{values{"name": "more", "mountPath": "/more"}}
	}
	if rapid.Bool().Draw(t, "has a digest") {
		of["image"] = values{"digest": "sha256:" + rapid.StringMatching(`[0-9a-f]{64}`).Draw(t, "digest")}
	}
	scheduled(t, of)
	return of
}

func scheduled(t *rapid.T, of values) {
	optional(t, of, "priorityClassName", name)
	optional(t, of, "nodeSelector", labelSets)
	optional(t, of, "tolerations", one[any]([]any{}, []any{values{"operator": "Exists"}}))
	optional(t, of, "affinity", one[any](values{}, values{"podAntiAffinity": values{}}))
	optional(t, of, "podAnnotations", texts)
	optional(t, of, "podLabels", labelSets)
}

// installations generates arbitrary valid combinations of values.
var installations = rapid.Custom(func(t *rapid.T) values {
	image := values{}
	optional(t, image, "registry", one("registry.example.com:5000/team", "localhost"))
	optional(t, image, "tag", one("", "latest", "v1.2.3-rc.1"))
	optional(t, image, "pullPolicy", one("", "Always", "Never"))
	server := program(t, "--authorization-name-blind", "--allow-self-approval=true", `--external-hostname=a "b"`)
	optional(t, server, "audit", one[any](values{"enabled": false}, values{"policy": values{"apiVersion": "audit.k8s.io/v1", "kind": "Policy",
		"rules": []any{values{"level": "None"}}}}))
	controller := program(t, "--takaro-qps=5", "--installation=a #b", "--metrics-bind-address=:8080")
	controller["replicas"] = rapid.IntRange(1, 20).Draw(t, "controllers")
	optional(t, controller, "secretNamespaces", one[any]([]any{}, []any{"*"}, []any{"team-a", "team-b"},
		[]any{"harbour"}, []any{"team-a", "*"}))
	all := values{"image": image, "apiserver": server, "controller": controller, "etcd": store(t, server)}
	optional(t, all, "imagePullSecrets", one[any]([]any{}, []any{values{"name": "pull"}}))
	optional(t, all, "commonLabels", labelSets)
	optional(t, all, "certificates", one[any](values{"mode": "CertManager"}, values{"mode": "CertManager",
		"certManager": values{"issuerRef": values{"name": "ours", "kind": "ClusterIssuer"}}}))
	served(t, all)
	optional(t, all, "userRoles", one[any](values{"create": false}))
	optional(t, all, "podDisruptionBudget", one[any](values{"enabled": false}))
	policy := values{"enabled": truth.Draw(t, "policies")}
	optional(t, policy, "apiserver", rapid.Custom(func(t *rapid.T) any {
		return values{"from": peers.Draw(t, "from"),
			"egress": rules.Draw(t, "egress")}
	}))
	optional(t, policy, "controller", rapid.Custom(func(t *rapid.T) any {
		return values{"from": peers.Draw(t, "from"),
			"egress": rules.Draw(t, "egress")}
	}))
	all["networkPolicy"] = policy
	all["monitoring"] = values{
		"serviceMonitor": values{"enabled": truth.Draw(t, "monitors"), "labels": labelSets.Draw(t, "labels"),
			"interval": rapid.SampledFrom([]string{"30s", "1m30s"}).Draw(t, "interval")},
		"prometheusRule": values{"enabled": truth.Draw(t, "alerts"), "labels": labelSets.Draw(t, "labels")},
		"dashboard":      values{"enabled": truth.Draw(t, "dashboard"), "labels": labelSets.Draw(t, "labels")},
	}
	all["uninstall"] = values{
		"hook": truth.Draw(t, "hook"), "objects": rapid.SampledFrom([]string{"Refuse", "DeleteAll", "Orphan"}).Draw(t, "objects"),
		"timeout": rapid.SampledFrom([]string{"10m", "30s", "1h30m"}).Draw(t, "timeout"),
	}
	return all
})

// store returns values of etcd. With an external one it also sets several servers.
func store(t *rapid.T, server values) values {
	if rapid.Bool().Draw(t, "embedded") {
		embedded := values{"dev": truth.Draw(t, "dev"), "size": size.Draw(t, "size")}
		optional(t, embedded, "storageClassName", name)
		return values{"mode": "Embedded", "embedded": embedded}
	}
	server["replicas"] = rapid.IntRange(1, 5).Draw(t, "servers")
	external := values{}
	if rapid.Bool().Draw(t, "by ConfigMap") {
		external["existingConfigMap"] = name.Draw(t, "ConfigMap")
	} else {
		external["servers"] = []any{"https://etcd-0.example:2379", "https://[::1]:2379"}[:rapid.IntRange(1, 2).Draw(t, "members")]
	}
	optional(t, external, "clientSecretName", rapid.OneOf(name, one("")))
	return values{"mode": "External", "external": external}
}

// served sets values of the API groups, and of what depends on them.
func served(t *rapid.T, all values) {
	takaro := rapid.Bool().Draw(t, "takaro")
	release := !takaro || rapid.Bool().Draw(t, "release")
	all["groups"] = values{"takaro": takaro, "release": release}
	guard := values{"enabled": release && rapid.Bool().Draw(t, "guard")}
	optional(t, guard, "failurePolicy", one("Ignore", "Fail"))
	optional(t, guard, "defaultPolicy", one("Deny", "Warn"))
	if guard["enabled"] == true {
		guard["liveObjects"] = values{"enabled": truth.Draw(t, "live"), "apiGroups": []any{"",
			"example.com"}[:rapid.IntRange(1, 2).Draw(t, "groups")]}
	}
	all["crdGuard"] = guard
	if !takaro {
		return
	}
	redis := values{"enabled": truth.Draw(t, "redis"), "existingSecret": name.Draw(t, "secret"), "size": size.Draw(t, "size")}
	optional(t, redis, "maxMemory", one("256mb", "1gb"))
	scheduled(t, redis)
	all["redis"] = redis
	all["takaro"] = values{
		"mockServerImage": rapid.SampledFrom([]string{"", "registry.example.com/mock:1"}).Draw(t, "image"),
		"endpoints": []any{
			values{"name": "a", "url": "https://a.example", "adminToken": rapid.StringN(1, 9, -1).Draw(t, "token")},
			values{"name": "b", "url": "http://b.example:3000/api", "adminTokenSecretRef": values{"name": "b"}},
			values{"name": "c", "url": "https://c.example", "adminToken": "x",
				"caCertificate": "-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n"},
		}[:rapid.IntRange(0, 3).Draw(t, "endpoints")],
	}
}

func TestAnyValuesThatGoTogetherGiveAWholeInstallation(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		in := install{"shore", "harbour", installations.Draw(rt, "values")}
		files, err := rendered(in)
		require.NoError(rt, err)
		again, err := rendered(in)
		require.NoError(rt, err)
		require.Equal(rt, files, again, "each time the same")
		all := objects{}
		for file, text := range files {
			require.NotContains(rt, text, "<no value>", file)
			if path.Base(file) != "NOTES.txt" {
				all.add(rt, file, text)
			}
		}
		assert.Empty(rt, flaws(in.namespace, all))
	})
}
