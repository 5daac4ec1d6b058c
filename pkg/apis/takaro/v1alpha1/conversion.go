// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"k8s.io/apimachinery/pkg/conversion"

	"roadstead.dev/roadstead/pkg/apis/takaro"
)

// Convert_v1alpha1_UserSpec_To_takaro_UserSpec keeps a password that is already there when the incoming object has none:
// what mutating policies and webhooks return never has one, and is converted back into the object that they were shown.
func Convert_v1alpha1_UserSpec_To_takaro_UserSpec(in *UserSpec, out *takaro.UserSpec, scope conversion.Scope) error {
	stored := out.Password
	if err := autoConvert_v1alpha1_UserSpec_To_takaro_UserSpec(in, out, scope); err != nil {
		return err
	}
	if in.Password == nil {
		out.Password = stored
	}
	return nil
}
