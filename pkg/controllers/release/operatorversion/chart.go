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

// ChartHandler is the name of RenderChart among the handlers of the sandbox.
const ChartHandler = "chart"

// chartRequest is everything that decides which CRDs a chart has.
type chartRequest struct {
	Archive *repository.Archive `json:"archive"`
	// With are the values, those for all environments first. The chart is rendered with each.
	With []chartValues `json:"with"`
	// KubeVersion, Release and Namespace are what templates see of the cluster and of the release.
	KubeVersion string `json:"kubeVersion"`
	Release     string `json:"release"`
	Namespace   string `json:"namespace"`
	// GivenBy says where values are set, for errors.
	GivenBy string `json:"givenBy"`
}

// chartValues are one set of values.
type chartValues struct {
	// Name is how messages call it.
	Name string `json:"name"`
	// Maps are merged in their order.
	Maps []map[string]any `json:"maps"`
}

// chartCRD is one object of a result.
type chartCRD struct {
	Name     string          `json:"name"`
	Digest   string          `json:"digest"`
	Manifest json.RawMessage `json:"manifest"`
	// Varies are the findings of union about the CRD. Their number is fixed, so that nobody can send many.
	Varies [2]variance `json:"varies"`
}

// variance is what is not fixed in a finding of union. Without a verdict it is none.
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

// RenderChart is the Handler that renders a chart with all values and compares what differs between them. It runs in a child
// process, since both take as much time and memory as the author of the chart wants.
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

// variancesOf returns the findings about a CRD, of which union has two at most.
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

// refusalOf carries an error of package charts over to the parent.
func refusalOf(err error) error {
	return &sandbox.Refusal{Code: string(repository.KindOf(err)), Text: err.Error()}
}

// refusedChart is the opposite of refusalOf. Only kinds that are about the content of a chart are taken.
func refusedChart(err *sandbox.Error) *repository.Error {
	kind := repository.Kind(err.Code)
	if kind != repository.KindTooLarge && kind != repository.KindUnrenderable {
		kind = repository.KindInvalid
	}
	return &repository.Error{Kind: kind, Message: err.Message, Err: err}
}

// errForeign is the error for a result that RenderChart does not return.
var errForeign = errors.New("the sandboxed process returned something else than CustomResourceDefinitions")

// crdsOf decodes the objects of a result. A chart that took over its child could have sent anything, so texts are cut to what
// a status holds, and each CRD appears once. What is in a manifest is for the API server to judge.
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
	// maxCRDName is how long the name of a CustomResourceDefinition is, as that of any DNS subdomain.
	maxCRDName = 253
	// maxDigest is the length of "sha256:" and 64 hexadecimal digits.
	maxDigest = 71
)
