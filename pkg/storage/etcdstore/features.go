// SPDX-License-Identifier: Apache-2.0

package etcdstore

import (
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/features"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	baseversion "k8s.io/component-base/version"
)

// init disables EtcdRangeStream by default, for the entire process and before --feature-gates is
// read. A streamed list is not read in a transaction, so the same read cannot check that it is from
// the right store.
func init() {
	libraries := version.MustParse(baseversion.DefaultKubeBinaryVersion)
	utilruntime.Must(utilfeature.DefaultMutableFeatureGate.OverrideDefaultAtVersion(features.EtcdRangeStream, false, libraries))
}
