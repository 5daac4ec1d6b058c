// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v4/pkg/strvals"
	sigsyaml "sigs.k8s.io/yaml"
)

// set parses the argument of --set and --set-json.
func set(t *testing.T, flag string) values {
	t.Helper()
	parsed := values{}
	parse := strvals.ParseInto
	if slices.Contains([]byte(flag), '{') || slices.Contains([]byte(flag), '"') {
		parse = strvals.ParseJSON
	}
	require.NoError(t, parse(flag, parsed), flag)
	return parsed
}

func TestBadValuesAreRefusedWithTheirName(t *testing.T) {
	for flag, want := range map[string][]string{
		"nonsense=1":                                              {"additional properties 'nonsense' not allowed"},
		"apiserver.replica=2":                                     {"at '/apiserver'", "'replica' not allowed"},
		"apiserver.replicas=0":                                    {"at '/apiserver/replicas'", "minimum"},
		"apiserver.replicas=two":                                  {"at '/apiserver/replicas'", "want integer"},
		"apiserver.logLevel=verbose":                              {"at '/apiserver/logLevel'", "'debug', 'info', 'warning', 'error'"},
		`controller.secretNamespaces=["Team"]`:                    {"at '/controller/secretNamespaces/0'"},
		"controller.secretNamespaces=null":                        {"missing property 'secretNamespaces'"},
		"controller.logFormat=text":                               {"at '/controller/logFormat'", "'json', 'console'"},
		`apiserver.extraArgs=["-v=4"]`:                            {"at '/apiserver/extraArgs/0'"},
		`apiserver.podLabels={"app.kubernetes.io/name": "other"}`: {"app.kubernetes.io/name"},
		"apiserver.podLabels.team=true":                           {"at '/apiserver/podLabels/team'", "want string"},
		"apiserver.resources.request.cpu=1":                       {"at '/apiserver/resources'", "'request' not allowed"},
		"apiserver.resources.requests.cpu=much":                   {"at '/apiserver/resources/requests/cpu'"},
		`apiserver.audit.policy={"kind": "Policy"}`:               {"at '/apiserver/audit/policy'"},
		"image.pullPolicy=Sometimes":                              {"at '/image/pullPolicy'", "'IfNotPresent'"},
		"image.registry=https://ghcr.io/":                         {"at '/image/registry'"},
		"image.tag=a b":                                           {"at '/image/tag'"},
		"apiserver.image.digest=abc":                              {"at '/apiserver/image/digest'", "sha256"},
		"imagePullSecrets[0]=name":                                {"at '/imagePullSecrets/0'", "want object"},
		"commonLabels.team=a b":                                   {"at '/commonLabels/team'"},
		`commonLabels={"app.kubernetes.io/name": "x"}`:            {"app.kubernetes.io/name"},
		"etcd.mode=embedded":                                      {"at '/etcd/mode'", "'Embedded', 'External'"},
		"etcd.embedded.size=8 GB":                                 {"at '/etcd/embedded/size'"},
		"etcd.external.servers[0]=etcd:2379":                      {"at '/etcd/external/servers/0'"},
		"etcd.external.servers=https://etcd:2379":                 {"at '/etcd/external/servers'", "want array"},
		"certificates.mode=certManager":                           {"at '/certificates/mode'", "'SelfManaged', 'CertManager'"},
		"certificates.certManager.issuerRef.kind=Issuer":          {"at '/certificates/certManager/issuerRef'", "name"},
		"crdGuard.failurePolicy=Deny":                             {"at '/crdGuard/failurePolicy'", "'Ignore', 'Fail'"},
		"crdGuard.defaultPolicy=Off":                              {"at '/crdGuard/defaultPolicy'", "'Deny', 'Warn'"},
		"crdGuard.liveObjects.apiGroups=null":                     {"missing property 'apiGroups'"},
		`crdGuard.liveObjects.apiGroups=[]`:                       {"at '/crdGuard/liveObjects/apiGroups'"},
		"takaro.endpoints[0].name=main":                           {"at '/takaro/endpoints/0'", "missing property 'url'"},
		`takaro.endpoints=[{"name": "main", "url": "https://t"}]`: {"missing property 'adminToken'",
			"missing property 'adminTokenSecretRef'"},
		`takaro.endpoints=[{"name": "main", "url": "t", "adminToken": "x"}]`: {
			"at '/takaro/endpoints/0/url'",
		},
		`takaro.endpoints=[{"name": "m", "url": "https://t", "adminToken": "x", "adminTokenSecretRef": {"name": "y"}}]`: {
			"at '/takaro/endpoints/0'", "oneOf"},
		`takaro.endpoints=[{"name": "m", "url": "https://t", "adminTokenSecretRef": {"name": "y"}, "caCertificate": "-----BEGIN ` +
			`CERTIFICATE-----"}]`: {"at '/takaro/endpoints/0'", "adminToken"},
		"redis.maxMemory=256Mi":                 {"at '/redis/maxMemory'"},
		"redis.existingSecret=Not-A-Name":       {"at '/redis/existingSecret'"},
		"monitoring.serviceMonitor.interval=30": {"at '/monitoring/serviceMonitor/interval'", "want string"},
		"uninstall.objects=Delete":              {"at '/uninstall/objects'", "'Refuse', 'DeleteAll', 'Orphan'"},
		"uninstall.timeout=10":                  {"at '/uninstall/timeout'", "want string"},
		"uninstall.timeout=10 minutes":          {"at '/uninstall/timeout'"},
		"etcd=null":                             {"missing property 'etcd'"},
		"apiserver.logLevel=null":               {"at '/apiserver'", "missing property 'logLevel'"},
	} {
		_, err := rendered(install{"roadstead", systemNamespace, set(t, flag)})
		if assert.Error(t, err, flag) {
			for _, text := range want {
				assert.ErrorContains(t, err, text, flag)
			}
		}
	}
}

func TestValuesThatDoNotGoTogetherAreRefused(t *testing.T) {
	for flag, want := range map[string]string{
		"apiserver.replicas=3":                       "apiserver.replicas is 3, but the embedded etcd is for one server: set etcd.mode=External",
		"etcd.mode=External":                         "etcd.external.servers is empty",
		"groups.takaro=false,groups.release=false":   "nothing would be served",
		"crdGuard.enabled=true,groups.release=false": "crdGuard.enabled needs groups.release",
		"crdGuard.liveObjects.enabled=true":          "set crdGuard.enabled=true too",
		"etcd.mode=External,etcd.external.servers[0]=https://e:2379,etcd.external.existingConfigMap=e": "are both set",
		`takaro={"endpoints": [{"name": "a", "url": "https://t", "adminToken": "x"}]},` +
			`groups={"takaro":false}`: "takaro.endpoints are for Domains",
		`takaro.endpoints=[{"name": "a", "url": "https://t", "adminToken": "x"}, ` +
			`{"name": "a", "url": "https://u", "adminToken": "x"}]`: `two of the name "a"`,
		`takaro.endpoints=[{"name": "a", "url": "https://t", "adminTokenSecretRef": {"name": "x"}}, {"name": "b", "url": "https://u", ` +
			`"adminTokenSecretRef": {"name": "y"}}]`: "roadstead.dev/takaro-endpoint=true",
	} {
		_, err := rendered(install{"roadstead", systemNamespace, set(t, flag)})
		assert.ErrorContains(t, err, want, flag)
	}
}

// A key that is only in the schema would have no effect, and one that is only in values.yaml would
// be undocumented.
func TestSchemaAndValuesHaveTheSameKeys(t *testing.T) {
	loaded, err := loadChart()
	require.NoError(t, err)
	schema := values{}
	require.NoError(t, json.Unmarshal(loaded.Schema, &schema))
	shipped := values{}
	for _, file := range loaded.Raw {
		if file.Name == "values.yaml" {
			require.NoError(t, sigsyaml.UnmarshalStrict(file.Data, &shipped))
		}
	}
	require.NotEmpty(t, shipped)
	delete(schema["properties"].(values), "global") // set by a parent chart
	sameKeys(t, schema, schema, shipped, "")
}

// A shipped value that is removed by null is either absent or reported as required.
func TestValuesThatAreTakenAway(t *testing.T) {
	loaded, err := loadChart()
	require.NoError(t, err)
	taken := 0
	var take func(path []string, shipped values)
	take = func(path []string, shipped values) {
		for name, value := range shipped {
			given := values{name: nil}
			for i := len(path) - 1; i >= 0; i-- {
				given = values{path[i]: given}
			}
			files, err := rendered(install{"roadstead", systemNamespace, given})
			if err != nil {
				assert.ErrorContains(t, err, "missing property '"+name+"'", "%v", given)
			} else {
				taken++
				all := objects{}
				for file, text := range files {
					if filepath.Base(file) != "NOTES.txt" {
						all.add(t, file, text)
					}
				}
				assert.Empty(t, flaws(systemNamespace, all), "%v", given)
			}
			if inner, ok := value.(values); ok {
				take(append(slices.Clone(path), name), inner)
			}
		}
	}
	take(nil, loaded.Values)
	assert.Greater(t, taken, 20)
}

// sameKeys compares an object of the schema that lists its keys with the corresponding value in
// values.yaml.
func sameKeys(t *testing.T, root, schema, shipped values, path string) {
	t.Helper()
	if reference, ok := schema["$ref"].(string); ok {
		schema = root["definitions"].(values)[reference[len("#/definitions/"):]].(values)
	}
	properties, ok := schema["properties"].(values)
	if !ok || len(shipped) == 0 && path != "" {
		return // free-form, or empty as shipped
	}
	if path != ".apiserver.resources" && path != ".controller.resources" && path != ".redis.resources" { // as in a container
		assert.Equal(t, slices.Sorted(maps.Keys(properties)), slices.Sorted(maps.Keys(shipped)), "keys of %q", path)
		assert.Equal(t, false, schema["additionalProperties"], path)
	}
	for name, property := range properties {
		if inner, ok := shipped[name].(values); ok {
			sameKeys(t, root, property.(values), inner, path+"."+name)
		}
	}
}
