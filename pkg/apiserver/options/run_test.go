// SPDX-License-Identifier: Apache-2.0

package options

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/clock"

	"roadstead.dev/roadstead/pkg/apiserver/hostprobe"
	"roadstead.dev/roadstead/pkg/apiserver/single"
)

// Of manifests that are applied together the Role may come last.
func TestTheLeaseIsTakenOnceItMayBe(t *testing.T) {
	client := fake.NewClientset()
	refusals := 2
	client.PrependReactor("get", "leases", func(clienttesting.Action) (bool, runtime.Object, error) {
		refusals--
		return refusals >= 0, nil, apierrors.NewForbidden(coordinationv1.Resource("leases"), single.LeaseName, nil)
	})
	lease := single.Lease{Client: client, Namespace: "system", Holder: "one", Clock: clock.RealClock{}}
	patient := hostprobe.Patience{Answer: time.Second, Rights: time.Minute, Every: time.Millisecond}
	require.NoError(t, takeLease(t.Context(), client, lease, patient))

	refusals = 1 << 30
	err := takeLease(t.Context(), client, lease, hostprobe.Patience{Every: time.Millisecond})
	assert.True(t, apierrors.IsForbidden(err), err)
	refusals = 0
	lease.Holder = "another"
	var held *single.HeldError
	assert.ErrorAs(t, takeLease(t.Context(), client, lease, patient), &held)
}
