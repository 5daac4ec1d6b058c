// SPDX-License-Identifier: Apache-2.0

package hostprobe

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
	aggregator "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset"
)

// CheckRegistration fails when one of our APIServices is answered by the host itself, as it is where a
// CustomResourceDefinition of our group was there first: the aggregation layer never asks this server then, and what
// people make in our group is nothing but stored. An APIService that is not there yet is none of its business.
func CheckRegistration(ctx context.Context, client aggregator.Interface, apiServices []string) error {
	var errs []error
	for _, name := range apiServices {
		service, err := client.ApiregistrationV1().APIServices().Get(ctx, name, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
		case apierrors.IsForbidden(err):
			// With certificates of their own, administrators may have taken this right away.
			klog.FromContext(ctx).Info("Whether the aggregation layer leads to this server is not known", "apiService", name, "err", err)
		case err != nil:
			errs = append(errs, fmt.Errorf("APIService %s: %w", name, err))
		case service.Spec.Service == nil:
			errs = append(errs, fmt.Errorf("APIService %s leads to the host cluster itself, not to this server: CustomResourceDefinitions of "+
				"group %s are installed; "+
				"save their objects, delete them (kubectl get customresourcedefinitions | grep %s), then apply this release's manifests "+
				"again", name, service.Spec.Group, service.Spec.Group))
		}
	}
	return errors.Join(errs...)
}
