// SPDX-License-Identifier: Apache-2.0

//go:build integration

package crdguard

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/test/framework"
)

// BenchmarkAllowedChange measures the duration of a compatible change, a new field, through a real
// kube-apiserver: without the guard and with it, for CRDs of 300 KB and 1 MB. See "make
// bench-crdguard". The changes are dry runs, which skip only the write. After a write,
// kube-apiserver would rebuild the OpenAPI document of the cluster during the next change.
func BenchmarkAllowedChange(b *testing.B) {
	client, err := clientset.NewForConfig(env.Cluster.AdminConfig())
	if err != nil {
		b.Fatal(err)
	}
	for _, size := range []int{300 << 10, 1 << 20} {
		var without [2]time.Duration // p50 and p99
		for _, guarded := range []bool{false, true} {
			b.Run(fmt.Sprintf("%dKB/guarded=%t", size>>10, guarded), func(b *testing.B) {
				switchGuard(b, client, guarded)
				times := changes(b, client, size)
				slices.Sort(times)
				p50, p99 := times[len(times)/2], times[len(times)*99/100]
				if guarded {
					b.ReportMetric(float64((p50 - without[0]).Milliseconds()), "added-p50-ms")
					b.ReportMetric(float64((p99 - without[1]).Milliseconds()), "added-p99-ms")
				} else {
					without = [2]time.Duration{p50, p99}
				}
				b.ReportMetric(float64(p50.Milliseconds()), "p50-ms")
				b.ReportMetric(float64(p99.Milliseconds()), "p99-ms")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// switchGuard enables or disables the webhook of the guard, and returns when the change is
// effective.
func switchGuard(b *testing.B, client clientset.Interface, on bool) {
	b.Helper()
	args := []string{"delete", "validatingwebhookconfiguration", "roadstead-crdguard", "--ignore-not-found"}
	if on {
		args = []string{"apply", "-k", filepath.Join(deploy, "guard")}
	}
	if _, _, err := env.Cluster.Kubectl(b.Context(), args...); err != nil {
		b.Fatal(err)
	}
	definitions := client.ApiextensionsV1().CustomResourceDefinitions()
	made, err := definitions.Create(b.Context(), large(env.Name("x")+".bench.example.com", 8<<10), metav1.CreateOptions{})
	if err != nil {
		b.Fatal(err)
	}
	err = wait.PollUntilContextTimeout(b.Context(), 25*time.Millisecond, framework.Limit, true, func(ctx context.Context) (bool, error) {
		_, err := definitions.Patch(ctx, made.Name, types.JSONPatchType,
			[]byte(`[{"op": "remove", "path": "/spec/versions/0/schema/openAPIV3Schema/properties/pool0"}]`),
			metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
		return apierrors.IsInvalid(err) == on, nil
	})
	if err != nil {
		b.Fatal(err)
	}
}

// changes creates a CRD of the given size and adds one field at a time.
func changes(b *testing.B, client clientset.Interface, size int) []time.Duration {
	b.Helper()
	ctx := b.Context()
	definitions := client.ApiextensionsV1().CustomResourceDefinitions()
	made, err := definitions.Create(ctx, large(env.Name("x")+".bench.example.com", size), metav1.CreateOptions{})
	if err != nil {
		b.Fatal(err)
	}
	name := made.Name
	defer func() { _ = definitions.Delete(context.WithoutCancel(ctx), name, metav1.DeleteOptions{}) }()
	var times []time.Duration
	for i := 0; len(times) < max(b.N, 1); i++ {
		current, err := definitions.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			b.Fatal(err)
		}
		current.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties[fmt.Sprintf("more%d", i)] = apiextensionsv1.JSONSchemaProps{Type: "string"}
		begin := time.Now()
		_, err = definitions.Update(ctx, current, metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}})
		took := time.Since(begin)
		if err != nil {
			if strings.Contains(err.Error(), "the object has been modified") {
				continue
			}
			b.Fatal(err)
		}
		times = append(times, took)
	}
	return times
}

// large returns a CRD whose JSON has approximately size bytes. Its schema consists of pod specs, as
// in the CRDs of operators.
func large(group string, size int) *apiextensionsv1.CustomResourceDefinition {
	type props = apiextensionsv1.JSONSchemaProps
	leaf := props{Type: "string", Description: strings.Repeat("What the field is for. ", 6), Pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
		MaxLength: ptr.To[int64](63)}
	item := props{Type: "object", Required: []string{"name"}, Properties: map[string]props{"name": leaf}}
	for i := range 12 {
		item.Properties[fmt.Sprintf("field%d", i)] = leaf
	}
	root := props{Type: "object", Properties: map[string]props{}}
	for i := range size / (13 * 260) {
		root.Properties[fmt.Sprintf("pool%d", i)] = props{Type: "array", XListType: ptr.To("map"), XListMapKeys: []string{"name"},
			Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &item}}
	}
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "fleets." + group},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: group, Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "fleets", Singular: "fleet", Kind: "Fleet", ListKind: "FleetList"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true, Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &root},
			}},
		},
	}
}
