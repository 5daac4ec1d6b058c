// SPDX-License-Identifier: Apache-2.0

package servingcert

import (
	"bytes"
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/retry"
	"k8s.io/klog/v2"
	aggregator "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset/typed/apiregistration/v1"
)

// retryInterval is how long a missing APIService is waited for between looks: they may be applied after the server.
const retryInterval = 2 * time.Second

// PublishCA writes ca into the named APIServices, so that the aggregation layer trusts us, and returns when all have it
// or ctx ends. An APIService that is not there yet is waited for.
func PublishCA(ctx context.Context, client aggregator.APIServiceInterface, names []string, ca []byte) {
	for _, name := range names {
		told := false
		// The error is ctx's end, which the caller knows.
		_ = wait.PollUntilContextCancel(ctx, retryInterval, true, func(ctx context.Context) (bool, error) {
			err := publish(ctx, client, name, ca)
			if err != nil && !told {
				told = true
				klog.FromContext(ctx).Info("CA bundle not written yet, trying again", "apiService", name, "every", retryInterval, "err", err)
			}
			return err == nil, nil
		})
	}
}

func publish(ctx context.Context, client aggregator.APIServiceInterface, name string, ca []byte) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		service, err := client.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if bytes.Equal(service.Spec.CABundle, ca) {
			return nil
		}
		service.Spec.CABundle = ca
		_, err = client.Update(ctx, service, metav1.UpdateOptions{})
		return err
	})
}
