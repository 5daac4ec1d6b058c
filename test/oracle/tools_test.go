// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"fmt"

	"github.com/openshift/crd-schema-checker/pkg/defaultcomparators"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/crdify/pkg/config"
	"sigs.k8s.io/crdify/pkg/runner"
	"sigs.k8s.io/crdify/pkg/validations/property"
)

type definition = apiextensionsv1.CustomResourceDefinition

// tool is a tool that returns its errors for a change. The last result is the value of a panic, or
// empty.
type tool struct {
	name string
	run  func(old, new *definition) (complaints []complaint, panicked string)
}

// tools returns the compared tools. Each is used as in its own command.
func tools() []tool {
	return []tool{
		{"crdify, strict", crdify(strict())},
		{"crdify, OLM's configuration", crdify(olm())},
		{"crd-schema-checker", schemaChecker},
	}
}

// strict returns crdify's default configuration.
func strict() *config.Config { return &config.Config{} }

// olm returns the configuration of the check of OLM v1 before it upgrades an extension
// (operator-controller, internal/operator-controller/rukpak/preflights/crdupgradesafety): versions
// that a webhook converts are not compared with each other, descriptions are ignored, enums may
// grow, and every other change that no rule knows is an error.
func olm() *config.Config {
	return &config.Config{
		Conversion:           config.ConversionPolicyIgnore,
		UnhandledEnforcement: config.EnforcementPolicyError,
		Validations: []config.ValidationConfig{
			{Name: "description", Enforcement: config.EnforcementPolicyNone},
			{Name: "enum", Enforcement: config.EnforcementPolicyError,
				Configuration: map[string]any{"additionPolicy": property.AdditionPolicyAllow}},
		},
	}
}

func crdify(configuration *config.Config) func(old, new *definition) ([]complaint, string) {
	return func(old, new *definition) (complaints []complaint, panicked string) {
		defer recovered(&panicked)
		if err := config.ValidateConfig(configuration); err != nil {
			return nil, err.Error()
		}
		checks, err := runner.New(configuration, runner.DefaultRegistry())
		if err != nil {
			return nil, err.Error()
		}
		return complaintsOf(checks.Run(old.DeepCopy(), new.DeepCopy()), pathsOf(old, new)), ""
	}
}

func schemaChecker(old, new *definition) (complaints []complaint, panicked string) {
	defer recovered(&panicked)
	results, errs := defaultcomparators.NewDefaultComparators().Compare(old.DeepCopy(), new.DeepCopy())
	for _, result := range results {
		for _, text := range result.Errors {
			complaints = append(complaints, complaint{check: result.Name, text: text})
		}
	}
	for _, err := range errs {
		complaints = append(complaints, complaint{text: err.Error()})
	}
	return complaints, ""
}

// recovered stores the value of a tool's panic.
func recovered(panicked *string) {
	if cause := recover(); cause != nil {
		*panicked = fmt.Sprint(cause)
	}
}
