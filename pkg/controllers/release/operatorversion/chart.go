// SPDX-License-Identifier: Apache-2.0

package operatorversion

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/engine/crd/bundle"
	crdpolicy "roadstead.dev/roadstead/pkg/engine/crd/policy"
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
	"roadstead.dev/roadstead/pkg/engine/helm/repository"
	"roadstead.dev/roadstead/pkg/engine/sandbox"
	"roadstead.dev/roadstead/pkg/util/text"
)

// ChartHandler is the name of the sandbox handler RenderChart.
const ChartHandler = "chart"

// chartRequest contains everything that determines the CRDs of a chart.
type chartRequest struct {
	Archive *repository.Archive `json:"archive"`
	// With contains the sets of values, starting with those for all environments. The chart is
	// rendered with each.
	With []chartValues `json:"with"`
	// KubeVersion, Release and Namespace are visible to templates.
	KubeVersion string `json:"kubeVersion"`
	Release     string `json:"release"`
	Namespace   string `json:"namespace"`
	// GivenBy describes where values are set, for error messages.
	GivenBy string `json:"givenBy"`
}

// chartValues is one set of values.
type chartValues struct {
	// Name identifies the set in messages.
	Name string `json:"name"`
	// Maps are merged in this order.
	Maps []map[string]any `json:"maps"`
}

// chartCRD is one CRD of a result.
type chartCRD struct {
	Name     string          `json:"name"`
	Digest   string          `json:"digest"`
	Manifest json.RawMessage `json:"manifest"`
	// Varies contains the findings of union about the CRD. The array has a fixed size, so that a
	// compromised child process cannot send many.
	Varies [2]variance `json:"varies"`
}

// variance contains the variable parts of a finding of union. Without a verdict there is no
// finding.
type variance struct {
	Verdict rules.Verdict `json:"verdict,omitempty"`
	Message string        `json:"message,omitempty"`
}

// chartRequestOf returns the request for the chart of an attempt.
func (r *reconciler) chartRequestOf(archive *repository.Archive, a *attempt) chartRequest {
	operator := a.operator
	request := chartRequest{
		Archive: archive, KubeVersion: r.kubeVersion, Release: operator.Spec.ReleaseName, Namespace: operator.Spec.Namespace,
		GivenBy: fmt.Sprintf("in spec.values, valuesFrom or environmentValues of Operator %s", operator.Name),
		With:    []chartValues{{Name: "spec.values", Maps: a.values.Over("")}},
	}
	for _, environment := range slices.Sorted(maps.Keys(a.values.Environments)) {
		request.With = append(request.With, chartValues{Name: "the values of " + environment, Maps: a.values.Over(environment)})
	}
	return request
}

// RenderChart is the sandbox handler that renders a chart with all sets of values and compares the
// results. It runs in a child process, since the author of the chart controls how much time and
// memory both need.
func RenderChart(ctx context.Context, encoded json.RawMessage, _ sandbox.Lookup) ([]any, error) {
	var request chartRequest
	if err := json.Unmarshal(encoded, &request); err != nil {
		return nil, err
	}
	var all []rendering
	for _, values := range request.With {
		set, err := request.Archive.CRDs(ctx, bundle.ChartOptions{
			ValueMaps: values.Maps, KubeVersion: request.KubeVersion, Release: request.Release, Namespace: request.Namespace,
			GivenBy: fmt.Sprintf("%s; it was rendered with %s", request.GivenBy, values.Name),
		})
		if err != nil {
			return nil, refusalOf(err)
		}
		all = append(all, rendering{with: values.Name, members: set.Members})
	}
	members, findings := union(all)
	var objects []any
	for _, member := range members {
		crd, err := renderedOf(member)
		if err != nil {
			return nil, refusalOf(&repository.Error{Kind: repository.KindInvalid,
				Message: fmt.Sprintf("CRD %s cannot be encoded: %v", member.CRD.Name, err)})
		}
		objects = append(objects, chartCRD{Name: crd.name, Digest: crd.digest, Manifest: crd.manifest, Varies: variancesOf(crd.name, findings)})
	}
	return objects, nil
}

// variancesOf returns the findings about a CRD. union reports at most two per CRD.
func variancesOf(name string, findings []v1alpha1.Finding) (found [2]variance) {
	n := 0
	for _, finding := range findings {
		if finding.CRD == name && n < len(found) {
			found[n] = variance{Verdict: rules.Verdict(finding.Verdict), Message: finding.Message}
			n++
		}
	}
	return found
}

// refusalOf converts an error of package charts for the parent process.
func refusalOf(err error) error {
	return &sandbox.Refusal{Code: string(repository.KindOf(err)), Text: err.Error()}
}

// refusedChart is the inverse of refusalOf. It accepts only kinds that describe the content of a
// chart.
func refusedChart(err *sandbox.Error) *repository.Error {
	kind := repository.Kind(err.Code)
	if kind != repository.KindTooLarge && kind != repository.KindUnrenderable {
		kind = repository.KindInvalid
	}
	return &repository.Error{Kind: kind, Message: err.Message, Err: err}
}

// errForeign is returned for a result that RenderChart does not return.
var errForeign = errors.New("the sandboxed process returned something else than CustomResourceDefinitions")

// crdsOf decodes the objects of a result. A chart that compromised the child process could have
// sent anything. Therefore messages are cut to the limit of a status, and names that are too long
// or not unique are rejected. The API server validates the manifests.
func crdsOf(objects []json.RawMessage) ([]renderedCRD, []v1alpha1.Finding, error) {
	crds := make([]renderedCRD, 0, len(objects))
	var findings []v1alpha1.Finding
	seen := map[string]bool{}
	for _, object := range objects {
		var one chartCRD
		if err := json.Unmarshal(object, &one); err != nil {
			return nil, nil, errForeign
		}
		if one.Name == "" || len(one.Name) > maxCRDName || len(one.Digest) > maxDigest || len(one.Manifest) == 0 || seen[one.Name] {
			return nil, nil, errForeign
		}
		seen[one.Name] = true
		crds = append(crds, renderedCRD{name: one.Name, digest: one.Digest, manifest: one.Manifest})
		for _, one := range one.Varies {
			switch one.Verdict {
			case "":
			case rules.Informational, rules.Safe, rules.Review, rules.Breaking, rules.Destructive:
				findings = append(findings, varies(crds[len(crds)-1].name, one.Verdict, text.Line(one.Message, crdpolicy.MaxMessage)))
			default:
				return nil, nil, errForeign
			}
		}
	}
	return crds, findings, nil
}

const (
	// maxCRDName is the maximum length of the name of a CustomResourceDefinition, which is that of
	// a DNS subdomain.
	maxCRDName = 253
	// maxDigest is the length of "sha256:" and 64 hexadecimal digits.
	maxDigest = 71
)
