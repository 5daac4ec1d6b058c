// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"roadstead.dev/roadstead/pkg/apis/release"
)

func TestValidateCRDSnapshot(t *testing.T) {
	newer := widgets(t, func(m map[string]any) { m["spec"].(map[string]any)["fieldOfNextYear"] = true })
	for name, tc := range map[string]struct {
		name       string
		definition runtime.RawExtension
		want       []string
	}{
		"valid":              {"widgets.example.com", widgets(t), nil},
		"of a newer cluster": {"widgets.example.com", newer, nil},
		"another name": {"gadgets.example.com", widgets(t),
			[]string{`metadata.name: must be "widgets.example.com", the name of the definition`}},
		"no name":   {"A_b", widgets(t), []string{"metadata.name: lowercase RFC 1123 subdomain", "metadata.name: must be"}},
		"none":      {"widgets.example.com", runtime.RawExtension{}, []string{"spec.definition: Required value"}},
		"no JSON":   {"widgets.example.com", raw("x"), []string{"spec.definition: must be the manifest"}},
		"too large": {"widgets.example.com", widgets(t, described(strings.Repeat("a", 3<<20))), []string{"spec.definition: is too large"}},
	} {
		t.Run(name, func(t *testing.T) {
			snapshot := &release.CRDSnapshot{ObjectMeta: metav1.ObjectMeta{Name: tc.name}, Spec: release.CRDSnapshotSpec{UID: "1",
				Definition: tc.definition}}
			requireErrors(t, tc.want, ValidateCRDSnapshot(snapshot))
			requireErrors(t, tc.want, ValidateCRDSnapshotUpdate(snapshot, snapshot))
		})
	}
}
