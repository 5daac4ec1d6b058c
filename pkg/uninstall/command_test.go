// SPDX-License-Identifier: Apache-2.0

package uninstall

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFlagsThatDoNotGoTogether(t *testing.T) {
	for _, c := range []struct {
		options options
		says    string
	}{
		{options{deleteAll: true, orphan: true}, "--delete-all and --orphan exclude each other"},
		{options{orphan: true, strip: true}, "--orphan and --strip-finalizers exclude each other"},
	} {
		c.options.namespace, c.options.timeout = "x", 1
		_, err := c.options.mode()
		assert.ErrorContains(t, err, c.says)
	}
	_, err := (&options{}).mode()
	assert.ErrorContains(t, err, "--namespace")
	assert.ErrorContains(t, err, "--timeout")
	for want, o := range map[mode]options{refuse: {}, deleteAll: {deleteAll: true}, orphan: {orphan: true}, strip: {strip: true}} {
		o.namespace, o.timeout = "x", 1
		how, err := o.mode()
		require.NoError(t, err)
		assert.Equal(t, want, how)
	}
}

func TestFlagsFromTheEnvironment(t *testing.T) {
	t.Setenv("ROADSTEAD_DELETE_ALL", "true")
	t.Setenv("ROADSTEAD_ORPHAN", "true")
	t.Setenv("ROADSTEAD_NAMESPACE", "elsewhere")
	command := NewCommand()
	command.SetArgs([]string{})
	assert.ErrorContains(t, command.Execute(), "exclude each other")
	assert.Equal(t, "elsewhere", command.Flags().Lookup("namespace").Value.String())
}

func TestErrorsSayHowToGoOn(t *testing.T) {
	u := &uninstallation{}
	assert.NoError(t, u.explain(nil))
	assert.EqualError(t, u.explain(&refusal{why: "2 objects of users"}), "prepare-uninstall: refused, nothing was changed: 2 objects of users")
	assert.ErrorContains(t, u.explain(fmt.Errorf("x: %w", context.Canceled)),
		"interrupted (x: context canceled); run it again with the same flags, and it goes on")
	assert.ErrorContains(t, u.explain(errors.New("broken")), "broken. When that is mended, run it again")
}
