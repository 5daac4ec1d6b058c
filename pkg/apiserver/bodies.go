// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	releasev1alpha1 "roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/apiserver/crdwebhook"
	"roadstead.dev/roadstead/pkg/apiserver/filters/bodylimit"
)

// bodyLimits returns the limits of request bodies.
//
// The memory of all classes together is 224 MiB, and decoding needs more for as many large bodies
// as there are places. A server without a heap limit reached 845 MB while twelve clients kept the
// class of definitions full with bodies of 12 MiB. Reviews of the guard are smaller, at most twice
// the 3 MiB that kube-apiserver accepts for a CRD. So a memory limit of 1 GiB with GOMEMLIMIT is
// sufficient.
func bodyLimits() *bodylimit.Limiter {
	const mebi = 1 << 20
	return bodylimit.New(
		bodylimit.Class{
			Name: "others", Size: bodylimit.Small, Deadline: 30 * time.Second, Memory: 64 * mebi, CallerMemory: 16 * mebi,
		},
		// Every change of a CRD in the cluster waits for this class. Its only client is
		// kube-apiserver, whose webhook requests time out after 10 s by default and 5 s as shipped;
		// kube-apiserver would then allow the change without a review. So a request waits for a
		// place for the same time.
		bodylimit.Class{
			Name: "guard", Resources: []schema.GroupResource{releasev1alpha1.Resource(crdwebhook.Resource)},
			Size: bodylimit.Large, Deadline: 10 * time.Second, Memory: 64 * mebi, CallerMemory: 16 * mebi,
			Places: 4, CallerPlaces: 2, Wait: 5 * time.Second,
		},
		// The clients are users and pipelines, which repeat a request after a 429.
		bodylimit.Class{
			Name:      "definitions",
			Resources: []schema.GroupResource{releasev1alpha1.Resource("crdschemas"), releasev1alpha1.Resource("compatibilityreviews")},
			Size:      bodylimit.Large, Deadline: 30 * time.Second, Memory: 96 * mebi, CallerMemory: 24 * mebi,
			Places: 4, CallerPlaces: 2,
		},
	)
}
