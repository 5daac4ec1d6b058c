// SPDX-License-Identifier: Apache-2.0

// Package install adds every version of the group release.roadstead.dev to a scheme.
package install

import (
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
)

// Install adds the internal and the published types with their defaults, conversions and
// validation.
func Install(scheme *runtime.Scheme) {
	utilruntime.Must(release.AddToScheme(scheme))
	utilruntime.Must(v1alpha1.AddToScheme(scheme))
	utilruntime.Must(scheme.SetVersionPriority(v1alpha1.SchemeGroupVersion))
}
