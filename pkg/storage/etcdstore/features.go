// SPDX-License-Identifier: Apache-2.0

package etcdstore

import (
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/features"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	baseversion "k8s.io/component-base/version"
)

// init switches EtcdRangeStream off by default, for the whole process and before --feature-gates is read. Such a list is
// not read in a transaction, so whether it comes from the right store cannot be checked in the same read.
func init() {
	libraries := version.MustParse(baseversion.DefaultKubeBinaryVersion)
	utilruntime.Must(utilfeature.DefaultMutableFeatureGate.OverrideDefaultAtVersion(features.EtcdRangeStream, false, libraries))
}
