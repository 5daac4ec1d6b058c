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

// explain adds the possible action to an error.
func explain(err error) string {
	var network net.Error
	switch {
	case errors.Is(err, context.Canceled):
		return "interrupted"
	case clientcmd.IsEmptyConfig(err):
		return "no cluster is configured: set KUBECONFIG or --kubeconfig"
	case apierrors.IsUnauthorized(err):
		return fmt.Sprintf("%v: the cluster does not accept the credentials of the kubeconfig; they may have expired", err)
	case apierrors.IsForbidden(err) && strings.Contains(err.Error(), " cannot "):
		// Errors of admission plugins already contain the action.
		return fmt.Sprintf("%v: an administrator of the cluster can grant this permission", err)
	case apierrors.IsServiceUnavailable(err):
		return fmt.Sprintf("%v: the server of this API is unavailable; for details, run: %s status", err, displayName)
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return fmt.Sprintf("%v: the cluster did not respond in time; to wait longer, set --request-timeout", err)
	case errors.As(err, &network):
		return fmt.Sprintf("%v: the cluster is unreachable; check --context, --kubeconfig and the network", err)
	}
	return err.Error()
}
