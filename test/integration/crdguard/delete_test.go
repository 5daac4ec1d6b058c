// SPDX-License-Identifier: Apache-2.0

//go:build integration

package crdguard

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/framework"
)

// awaitRefusal sends dry-run deletions of a CRD until one is rejected with the given text, and
// returns the output.
func awaitRefusal(t *testing.T, d definition, says string) string {
	t.Helper()
	var printed string
	framework.Await(t, "the refusal of the deletion of "+d.name(), func() error {
		out, problems, err := env.TryKubectl(t, "", "delete", "crd", d.name(), "--dry-run=server")
		printed = problems
		if err == nil || !strings.Contains(problems, says) {
			return fmt.Errorf("it says: %s%s", out, problems)
		}
		return nil
	})
	return printed
}

// TestADefinitionWithObjectsIsNotDeleted verifies that the guard uses the object counts of the
// cluster if it has no right to list objects.
func TestADefinitionWithObjectsIsNotDeleted(t *testing.T) {
	guarded(t)
	d := create(t)
	d.fill(t, "a", "b", "c")
	printed := awaitRefusal(t, d, "3 "+d.name()+" existed when")
	t.Log(printed)
	assert.Contains(t, printed, `The CustomResourceDefinition "`+d.name()+`" is invalid`)
	refused(t, "", "delete", "crd", d.name())
	assert.Equal(t, "a b c", kubectl(t, "", "get", d.name(), "-o", "jsonpath={.items[*].metadata.name}"), "nothing was deleted")

	args := wayOut(t, printed)
	kubectl(t, "", append([]string{"annotate", "crd", d.name(), "roadstead.dev/allow-delete=another"}, args[len(args)-1])...)
	assert.Contains(t, refused(t, "", "delete", "crd", d.name()), "is for a CRD with another UID (another)")
	kubectl(t, "", args...)
	printed = kubectl(t, "", "delete", "crd", d.name())
	assert.Contains(t, printed, "annotation roadstead.dev/allow-delete allows the deletion")
	_, _, err := env.TryKubectl(t, "", "get", "crd", d.name())
	require.ErrorContains(t, err, "NotFound")

	// A new CRD with the same name is a different one.
	kubectl(t, d.yaml(sized), "apply", "-f", "-")
	kubectl(t, "", "wait", "crd/"+d.name(), "--for=condition=Established", "--timeout=30s")
	d.fill(t, "a")
	awaitRefusal(t, d, "1 "+d.name()+" existed when")
}

func TestADefinitionWithoutObjectsGoes(t *testing.T) {
	guarded(t)
	d := create(t)
	framework.Await(t, "the figure of the host", func() error {
		_, _, err := env.TryKubectl(t, "", "delete", "crd", d.name())
		return err
	})
}

// TestADeletionThatNobodyCanTellAboutIsRefused covers a kind of which no version is served, because
// the cluster does not count its objects.
func TestADeletionThatNobodyCanTellAboutIsRefused(t *testing.T) {
	guarded(t)
	d := definition{plural: "widgets", group: env.Name("x") + ".guard.example.com", kind: "Widget"}
	kubectl(t, strings.Replace(d.yaml(sized), "served: true", "served: false", 1), "apply", "-f", "-")
	kubectl(t, "", "wait", "crd/"+d.name(), "--for=condition=Established", "--timeout=30s")
	printed := refused(t, "", "delete", "crd", d.name())
	t.Log(printed)
	assert.Contains(t, printed, "cannot determine whether "+d.name()+" exist")
	assert.Contains(t, printed, "have no value for "+d.name())

	kubectl(t, "", "annotate", "crd", d.name(), "roadstead.dev/crd-policy=Warn")
	printed = kubectl(t, "", "delete", "crd", d.name())
	assert.Contains(t, printed, "Warning: cannot determine whether "+d.name()+" exist")
}
