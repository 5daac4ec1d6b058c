// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/release"
)

func operatorVersion(name, version string) *release.OperatorVersion {
	return &release.OperatorVersion{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: release.OperatorVersionSpec{
			OperatorRef: release.LocalObjectReference{Name: "cert-manager"}, Version: version, ChartVersion: version,
			CRDSource: release.CRDSourceChart,
		},
	}
}

func TestValidateOperatorVersion(t *testing.T) {
	guide := func(address string) *release.OperatorVersion {
		version := operatorVersion("cert-manager-1.0.0", "1.0.0")
		version.Spec.MigrationGuide = address
		return version
	}
	chart := operatorVersion("cert-manager-1.0.0", "1.0.0")
	chart.Spec.ChartVersion = "latest"
	asking, long := operatorVersion("cert-manager-1.0.0", "1.0.0"), operatorVersion("cert-manager-1.0.0", "1.0.0")
	asking.Annotations = map[string]string{release.RequestApprovalAnnotation: " "}
	long.Status.CreatedBy = strings.Repeat("a", 4097)
	none := operatorVersion("x", "1.0.0")
	none.Spec.OperatorRef.Name = ""
	for name, tc := range map[string]struct {
		version *release.OperatorVersion
		want    []string
	}{
		"valid":                   {operatorVersion("cert-manager-1.15.0", "1.15.0"), nil},
		"with a v":                {operatorVersion("cert-manager-v1.15.0", "v1.15.0"), nil},
		"lower case, and no plus": {operatorVersion("cert-manager-v1.15.0-rc.1-build.5", "v1.15.0-RC.1+Build.5"), nil},
		"a wrong name": {operatorVersion("cert-manager", "1.15.0"),
			[]string{`metadata.name: must be "cert-manager-1.15.0"`}},
		"the name without the v": {operatorVersion("cert-manager-1.15.0", "v1.15.0"),
			[]string{`metadata.name: must be "cert-manager-v1.15.0"`}},
		"two numbers": {operatorVersion("cert-manager-1.15", "1.15"), []string{"spec.version: must be a semantic version"}},
		"a leading zero": {operatorVersion("cert-manager-1.05.0", "1.05.0"),
			[]string{"spec.version: must be a semantic version"}},
		"a capital V": {operatorVersion("cert-manager-v1.5.0", "V1.5.0"),
			[]string{"spec.version: must be a semantic version"}},
		"two vs": {operatorVersion("cert-manager-vv1.5.0", "vv1.5.0"),
			[]string{"spec.version: must be a semantic version"}},
		"no version": {operatorVersion("cert-manager-latest", "latest"),
			[]string{"spec.version: must be a semantic version"}},
		"missing ones are a tag's business": {operatorVersion("x", ""), nil},
		"no operator":                       {none, nil},
		"a version that ends in a hyphen": {operatorVersion("cert-manager-1.0.0-a-", "1.0.0-a-"),
			[]string{`spec.version: the object would have to be called "cert-manager-1.0.0-a-", which is no name`}},
		"another chart version":    {chart, []string{"spec.chartVersion: must be a semantic version"}},
		"a guide":                  {guide("https://example.com/upgrade?to=1#now"), nil},
		"a guide that is no page":  {guide("ftp://example.com"), []string{"spec.migrationGuide: must be the address of a page"}},
		"a guide with a script":    {guide("javascript:alert(1)"), []string{"spec.migrationGuide: must be the address of a page"}},
		"a guide without a host":   {guide("https:///x"), []string{"spec.migrationGuide: must be the address of a page"}},
		"a guide that is no URL":   {guide("https://a b"), []string{"spec.migrationGuide: must be the address of a page"}},
		"a guide with credentials": {guide("https://u:geheim@a/"), []string{"spec.migrationGuide: must not hold credentials"}},
		"a guide with an @":        {guide("https://example.com/@team"), nil},
		"an approval without a reason": {asking,
			[]string{"metadata.annotations[roadstead.dev/request-approval]: state why the change is needed"}},
		"a creator of an endless name": {long, []string{"status.createdBy: may not be more than 4096"}},
	} {
		t.Run(name, func(t *testing.T) {
			errs := ValidateOperatorVersion(tc.version)
			requireErrors(t, tc.want, errs)
			if len(errs) > 0 {
				require.NotContains(t, errs.ToAggregate().Error(), "geheim")
			} else {
				require.Empty(t, ValidateOperatorVersionUpdate(tc.version, tc.version))
			}
		})
	}
	requireErrors(t, []string{"metadata.annotations[roadstead.dev/request-approval]: state why"}, ValidateOperatorVersionUpdate(asking, chart))
}

func TestValidateOperatorVersionStatus(t *testing.T) {
	version := operatorVersion("cert-manager-1.0.0", "1.0.0")
	require.Empty(t, ValidateOperatorVersionStatus(version, version))
	version.Status.CRDs = []release.OperatorVersionCRD{{Name: "widgets.example.com", Digest: strings.Repeat("a", 254)}}
	version.Status.Findings = make([]release.Finding, 50)
	version.Status.Findings[49].Old = strings.Repeat("ä", 257)
	requireErrors(t, []string{"status.findings[49].old: may not be more than 256", "status.crds[0].digest: may not be more than 253"},
		ValidateOperatorVersionStatus(version, version))
	version.Status.CRDs, version.Status.Findings = make([]release.OperatorVersionCRD, 51), make([]release.Finding, 51)
	requireErrors(t, []string{"status.findings: must have at most 50 items", "status.crds: must have at most 50 items"},
		ValidateOperatorVersionStatus(version, version))
}
