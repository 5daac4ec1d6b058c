// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/test/chaos/check"
	"roadstead.dev/roadstead/test/fakes/takaro"
)

func TestObserver_ReportsObjectThatReturnsAfterItsDeletion(t *testing.T) {
	c := client(t, domain)
	o, told := watched(t, c, takaro.New(takaro.Options{}))
	eventually(t, func() bool { return len(o.Watched()) == 1 })
	domains := c.Resource(Resources[check.Domain]).Namespace("ns")
	stored, err := domains.Get(t.Context(), "a", metav1.GetOptions{})
	require.NoError(t, err)

	require.NoError(t, domains.Delete(t.Context(), "a", metav1.DeleteOptions{}))
	eventually(t, func() bool { return len(o.Watched()) == 0 })
	other := stored.DeepCopy()
	other.SetUID("other")
	_, err = domains.Create(t.Context(), other, metav1.CreateOptions{})
	require.NoError(t, err)
	eventually(t, func() bool { return len(o.Watched()) == 1 })
	require.False(t, told(check.Watch), "another object of the same name")

	require.NoError(t, domains.Delete(t.Context(), "a", metav1.DeleteOptions{}))
	_, err = domains.Create(t.Context(), stored, metav1.CreateOptions{})
	require.NoError(t, err)
	eventually(t, func() bool { return told(check.Watch) })
}
