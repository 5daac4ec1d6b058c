// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/clientcmd"
)

// explain adds to an error what can be done about it.
func explain(err error) string {
	var network net.Error
	switch {
	case errors.Is(err, context.Canceled):
		return "interrupted"
	case clientcmd.IsEmptyConfig(err):
		return "no cluster is configured: set KUBECONFIG, or give --kubeconfig"
	case apierrors.IsUnauthorized(err):
		return fmt.Sprintf("%v: the cluster does not know the login of the kubeconfig; it may have run out", err)
	case apierrors.IsForbidden(err) && strings.Contains(err.Error(), " cannot "):
		// Other refusals than those of RBAC say themselves what to do.
		return fmt.Sprintf("%v: ask an administrator of the cluster for this right", err)
	case apierrors.IsServiceUnavailable(err):
		return fmt.Sprintf("%v: the server of this API is away; `%s status` tells more", err, displayName)
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return fmt.Sprintf("%v: the cluster did not answer in time; --request-timeout gives it longer", err)
	case errors.As(err, &network):
		return fmt.Sprintf("%v: the cluster cannot be reached; check --context, --kubeconfig and the network", err)
	}
	return err.Error()
}
