// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"
)

const (
	// awaitLimit is how long to wait for each group. All groups together must time out before the
	// startup probe does, because the error is more specific.
	awaitLimit = 30 * time.Second
	awaitEvery = 500 * time.Millisecond
)

// serving returns which resources of a version the cluster serves. Discovery clients implement it.
type serving interface {
	ServerResourcesForGroupVersion(groupVersion string) (*metav1.APIResourceList, error)
}

// awaitGroups waits until the cluster serves the groups whose controllers run. During an
// installation both programs start at the same time, and an exit because the other one is ready a
// few seconds later would look like a failure.
func (o *Options) awaitGroups(ctx context.Context, cluster serving) error {
	return o.awaitGroupsFor(ctx, cluster, awaitLimit, awaitEvery)
}

func (o *Options) awaitGroupsFor(ctx context.Context, cluster serving, limit, every time.Duration) error {
	for _, group := range o.Groups {
		version, told := group+".roadstead.dev/v1alpha1", false
		var last error
		err := wait.PollUntilContextTimeout(ctx, every, limit, true, func(context.Context) (bool, error) {
			if _, last = cluster.ServerResourcesForGroupVersion(version); last != nil && !told {
				klog.InfoS("Waiting for roadstead-apiserver", "version", version, "answer", last.Error())
				told = true
			}
			return last == nil, nil
		})
		if err != nil {
			return fmt.Errorf("the cluster does not serve %s: look at apiservice v1alpha1.%s.roadstead.dev, or leave the group out of --groups: %w",
				version, group, last)
		}
	}
	return nil
}
