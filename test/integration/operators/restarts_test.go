// SPDX-License-Identifier: Apache-2.0

//go:build integration

package operators

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/fakes/chartrepo"
	"roadstead.dev/roadstead/test/framework"
)

// TestAControllerThatDiesInTheMiddle verifies that a new controller continues where a killed one
// stopped.
func TestAControllerThatDiesInTheMiddle(t *testing.T) {
	const definitions = 40
	repository, name := newRepository(t), env.Name("killed")
	files := map[string]string{}
	for n := range definitions {
		files[fmt.Sprintf("crds/%d.yaml", n)] = definition(fmt.Sprintf("w%ds", n), name+".example.com", sized)
	}
	digest := add(t, repository, chartrepo.Chart{Name: name, Version: "1.0.0", Files: files})
	apply(t, name, repository.URL())
	controller := env.Roadstead.Controller()

	// While the chart is fetched.
	repository.Fail(name+"-1.0.0.tgz", chartrepo.Slow())
	made := version(t, name, "1.0.0")
	framework.Await(t, "the chart to be fetched", func() error {
		if len(repository.Requests(".tgz")) == 0 {
			return fmt.Errorf("not yet")
		}
		return nil
	})
	require.NoError(t, controller.Kill())
	repository.Heal()
	require.NoError(t, controller.Start(t.Context()))

	// While the CRDSchemas are created.
	framework.Await(t, "some of the CRDSchemas", func() error {
		if n := len(schemas(t, made)); n < 3 {
			return fmt.Errorf("%d", n)
		}
		return nil
	})
	require.NoError(t, controller.Kill())
	t.Logf("killed with %d of %d CRDSchemas", len(schemas(t, made)), definitions)
	require.NoError(t, controller.Start(t.Context()))
	ready(t, "operatorversion/"+made)
	assert.Len(t, schemas(t, made), definitions)
	assert.Equal(t, digest, kubectl(t, "", "get", "operatorversion", made, "-o", "jsonpath={.status.chartDigest}"))
}
