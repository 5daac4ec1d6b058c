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

// CheckRegistration returns an error if kube-apiserver itself serves one of Roadstead's
// APIServices. This happens if a CustomResourceDefinition of the group was installed before: the
// aggregation layer then never calls this server, and no controller processes the objects. It
// ignores an APIService that does not exist yet.
func CheckRegistration(ctx context.Context, client aggregator.Interface, apiServices []string) error {
	var errs []error
	for _, name := range apiServices {
		service, err := client.ApiregistrationV1().APIServices().Get(ctx, name, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
		case apierrors.IsForbidden(err):
			// Installations with their own certificates may not grant this permission.
			klog.FromContext(ctx).Info("Cannot check that the aggregation layer forwards requests to this server", "apiService", name, "err", err)
		case err != nil:
			errs = append(errs, fmt.Errorf("APIService %s: %w", name, err))
		case service.Spec.Service == nil:
			errs = append(errs, fmt.Errorf("APIService %s is served by kube-apiserver itself, not by this server: CustomResourceDefinitions of "+
				"group %s are installed; "+
				"save their objects, delete them (kubectl get customresourcedefinitions | grep %s), then apply this release's manifests "+
				"again", name, service.Spec.Group, service.Spec.Group))
		}
	}
	return errors.Join(errs...)
}
