// SPDX-License-Identifier: Apache-2.0

package gitops

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"
	"sigs.k8s.io/yaml"
)

const argo = "../../artifacts/gitops/argocd/"

// TestArgo_ReadsEveryState runs the shipped script as Argo CD does: with the same interpreter, the
// libraries that it opens for custom scripts, and the object in the variable obj.
func TestArgo_ReadsEveryState(t *testing.T) {
	script, err := os.ReadFile(argo + "health.lua")
	require.NoError(t, err)
	for _, resource := range withStatus(t) {
		for _, state := range states(t, resource) {
			t.Run(resource.Kind.Kind+" "+state.name, func(t *testing.T) {
				status, message := run(t, string(script), state.object.Object)
				assert.Equal(t, state.want.argo, status)
				assert.NotEmpty(t, message)
			})
		}
	}
	t.Run("no status", func(t *testing.T) {
		status, _ := run(t, string(script), map[string]any{"metadata": map[string]any{"name": "old"}})
		assert.Equal(t, progressing.argo, status)
	})
}

// TestArgo_PatchHasTheScriptOfEveryKind checks that the ConfigMap has a key for each kind, since
// its keys cannot contain wildcards.
func TestArgo_PatchHasTheScriptOfEveryKind(t *testing.T) {
	script, err := os.ReadFile(argo + "health.lua")
	require.NoError(t, err)
	text, err := os.ReadFile(argo + "argocd-cm.yaml")
	require.NoError(t, err)
	var patch struct {
		Data map[string]string `json:"data"`
	}
	require.NoError(t, yaml.Unmarshal(text, &patch))
	resources := withStatus(t)
	assert.Len(t, patch.Data, len(resources))
	for _, resource := range resources {
		key := "resource.customizations.health." + resource.GroupVersion.Group + "_" + resource.Kind.Kind
		assert.Equal(t, string(script), patch.Data[key], key)
	}
}

// run returns the health that a script reports for an object.
func run(t *testing.T, script string, object map[string]any) (status, message string) {
	t.Helper()
	state := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer state.Close()
	state.SetContext(t.Context())
	for name, open := range map[string]lua.LGFunction{lua.BaseLibName: lua.OpenBase, lua.TabLibName: lua.OpenTable} {
		require.NoError(t, state.CallByParam(lua.P{Fn: state.NewFunction(open), Protect: true}, lua.LString(name)))
	}
	state.SetGlobal("obj", toLua(t, state, object))
	require.NoError(t, state.DoString(script))
	result, ok := state.Get(-1).(*lua.LTable)
	require.True(t, ok, "the script returns a table")
	status, message = lua.LVAsString(result.RawGetString("status")), lua.LVAsString(result.RawGetString("message"))
	require.True(t, strings.Contains("Healthy Progressing Degraded Suspended", status), "%q is no health of Argo CD", status)
	return status, message
}

// toLua converts JSON values.
func toLua(t *testing.T, state *lua.LState, value any) lua.LValue {
	t.Helper()
	switch value := value.(type) {
	case nil:
		return lua.LNil
	case bool:
		return lua.LBool(value)
	case string:
		return lua.LString(value)
	case int64:
		return lua.LNumber(value)
	case float64:
		return lua.LNumber(value)
	case []any:
		list := state.NewTable()
		for _, item := range value {
			list.Append(toLua(t, state, item))
		}
		return list
	case map[string]any:
		table := state.NewTable()
		for key, item := range value {
			table.RawSetString(key, toLua(t, state, item))
		}
		return table
	}
	require.Failf(t, "unexpected value", "%T", value)
	return nil
}
