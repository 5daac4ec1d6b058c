// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
	commonutil "helm.sh/helm/v4/pkg/chart/common/util"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/engine"
	"helm.sh/helm/v4/pkg/strvals"

	"roadstead.dev/roadstead/pkg/engine/crd/compare"
	"roadstead.dev/roadstead/pkg/engine/crd/sets"
)

// ChartOptions are the options for rendering charts.
type ChartOptions struct {
	// ValueFiles are merged in order over the chart's own values.
	ValueFiles []string
	// ValueMaps are merged in order over the values of the files. They are not modified.
	ValueMaps []map[string]any
	// Values are settings such as crds.install=true, which override all others.
	Values []string
	// KubeVersion is the Kubernetes version that templates see. Defaults to compare.DefaultTargetVersion.
	KubeVersion string
	// APIVersions are the API versions of the cluster in addition to those of Kubernetes, such as monitoring.coreos.com/v1.
	APIVersions []string
	// Release and Namespace are the name and namespace of the release. They default to "release" and "default".
	Release, Namespace string
	// GivenBy completes "set the required values …" in errors. Defaults to "by --values or --set".
	GivenBy string
}

// The annotations that determine what Helm does with a CRD.
const (
	policyAnnotation = "helm.sh/resource-policy"
	hookAnnotation   = "helm.sh/hook"
)

// members renders a chart like an upgrade, without a cluster: lookup returns nothing, and names are not
// resolved. The chart's kubeVersion and values schema are not enforced: both may be violated here and
// satisfied in the cluster.
func members(ctx context.Context, loaded *chart.Chart, options ChartOptions) (sets.Set, error) {
	if err := missingSubcharts(loaded); err != nil {
		return sets.Set{}, err
	}
	given, err := options.values()
	if err != nil {
		return sets.Set{}, err
	}
	// ProcessDependencies removes the subcharts that conditions and tags disable.
	if err := chartutil.ProcessDependencies(loaded, given); err != nil {
		return sets.Set{}, err
	}
	set := sets.Set{Chart: true}
	for _, file := range loaded.CRDObjects() {
		found, err := decode(file.Filename, file.File.Data)
		if err != nil {
			return sets.Set{}, err
		}
		for _, member := range found.members {
			member.Origin = sets.CRDsFolder
			set.Members = append(set.Members, member)
		}
	}
	rendered, err := options.render(ctx, loaded, given)
	if err != nil {
		return sets.Set{}, err
	}
	for _, name := range slices.Sorted(maps.Keys(rendered)) {
		if strings.EqualFold(path.Base(name), "NOTES.txt") || !interesting(rendered[name]) {
			continue
		}
		found, err := decode(name, []byte(rendered[name]))
		if err != nil {
			return sets.Set{}, fmt.Errorf("rendered %w", err)
		}
		for _, member := range found.members {
			// Line numbers of rendered files are of no use, because users cannot open these files.
			member.Origin, member.Line, member.Kept = sets.Template, 0, kept(member)
			set.Members = append(set.Members, member)
		}
		set.Services = append(set.Services, found.services...)
	}
	return set, nil
}

// interesting reports whether a rendered file may contain a CRD or a Service. Other files need not be valid YAML.
func interesting(content string) bool {
	return strings.Contains(content, "CustomResourceDefinition") || strings.Contains(content, "Service")
}

// kept reports whether Helm keeps a CRD that is no longer rendered. A hook is not part of the release, and
// Helm never deletes a CRD that is a hook.
func kept(member sets.Member) bool {
	policy := strings.ToLower(strings.TrimSpace(member.CRD.Annotations[policyAnnotation]))
	return policy == "keep" || member.CRD.Annotations[hookAnnotation] != ""
}

// values returns the merged values of the user.
func (o ChartOptions) values() (map[string]any, error) {
	given := map[string]any{}
	for _, name := range o.ValueFiles {
		file, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("--values: %w", plainly(name, err))
		}
		values, err := loader.LoadValues(file)
		_ = file.Close()
		if err != nil {
			return nil, fmt.Errorf("--values: %w", plainly(name, err))
		}
		given = loader.MergeMaps(given, values)
	}
	for _, values := range o.ValueMaps {
		given = loader.MergeMaps(given, values)
	}
	for _, value := range o.Values {
		if err := strvals.ParseInto(value, given); err != nil {
			return nil, fmt.Errorf("--set %s: %w", value, oneLine(err))
		}
	}
	return given, nil
}

func (o ChartOptions) render(ctx context.Context, loaded *chart.Chart, given map[string]any) (map[string]string, error) {
	kubeVersion := o.KubeVersion
	if kubeVersion == "" {
		kubeVersion = compare.DefaultTargetVersion
	}
	parsed, err := common.ParseKubeVersion(kubeVersion)
	if err != nil {
		return nil, fmt.Errorf("%q is not a Kubernetes version such as %s", kubeVersion, compare.DefaultTargetVersion)
	}
	capabilities := common.DefaultCapabilities.Copy()
	capabilities.KubeVersion = *parsed
	capabilities.APIVersions = slices.Concat(common.DefaultVersionSet, o.APIVersions)
	release := common.ReleaseOptions{Name: o.Release, Namespace: o.Namespace, IsUpgrade: true, Revision: 2}
	if release.Name == "" {
		release.Name = "release"
	}
	if release.Namespace == "" {
		release.Namespace = "default"
	}
	values, err := commonutil.ToRenderValuesWithSchemaValidation(loaded, given, release, capabilities, true)
	if err != nil {
		return nil, err
	}
	rendered, err := engine.Engine{EnableDNS: false}.RenderWithContext(ctx, loaded, values)
	if err != nil {
		return nil, &RenderError{hint: cmp.Or(o.GivenBy, "by --values or --set"), err: err}
	}
	return rendered, nil
}
