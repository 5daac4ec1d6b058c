// SPDX-License-Identifier: Apache-2.0

package install

import (
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"

	"roadstead.dev/roadstead/pkg/apis/takaro"
	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/apis/writeonly"
)

// HideWriteOnly makes a scheme convert from the internal types without write-only fields, and to them without the copies
// that client-side apply makes: audit records and mutating webhooks see an object before its strategy does. It is for the
// scheme that serves; the one that stores converts completely.
func HideWriteOnly(scheme *runtime.Scheme) error {
	if err := scheme.AddConversionFunc((*v1alpha1.User)(nil), (*takaro.User)(nil), func(from, to any, scope conversion.Scope) error {
		in, out := from.(*v1alpha1.User), to.(*takaro.User)
		if err := v1alpha1.Convert_v1alpha1_User_To_takaro_User(in, out, scope); err != nil {
			return err
		}
		out.Annotations = writeonly.ScrubApplied(out.Annotations, "spec", "password")
		return nil
	}); err != nil {
		return err
	}
	if err := scheme.AddConversionFunc((*takaro.User)(nil), (*v1alpha1.User)(nil), func(from, to any, scope conversion.Scope) error {
		return shownUser(from.(*takaro.User), to.(*v1alpha1.User), scope)
	}); err != nil {
		return err
	}
	return scheme.AddConversionFunc((*takaro.UserList)(nil), (*v1alpha1.UserList)(nil), func(from, to any, scope conversion.Scope) error {
		in, out := from.(*takaro.UserList), to.(*v1alpha1.UserList)
		out.ListMeta = in.ListMeta
		// Never the generated conversion of the list: it may share the items' memory with in.
		out.Items = make([]v1alpha1.User, len(in.Items))
		for i := range in.Items {
			if err := shownUser(&in.Items[i], &out.Items[i], scope); err != nil {
				return err
			}
		}
		return nil
	})
}

func shownUser(in *takaro.User, out *v1alpha1.User, scope conversion.Scope) error {
	if err := v1alpha1.Convert_takaro_User_To_v1alpha1_User(in, out, scope); err != nil {
		return err
	}
	out.Spec.Password = nil
	out.Annotations = writeonly.ScrubApplied(out.Annotations, "spec", "password")
	return nil
}
