// SPDX-License-Identifier: Apache-2.0

package install

import (
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"

	"roadstead.dev/roadstead/pkg/apis/takaro"
	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/apis/writeonly"
)

// HideWriteOnly registers the conversions of a scheme that serves requests. They omit write-only
// fields from published versions, and remove the values of these fields from the annotation of
// client-side apply, because audit records and mutating webhooks read an object before its
// strategy runs. A scheme that stores objects must not have these conversions: it converts every
// field in both directions.
func HideWriteOnly(scheme *runtime.Scheme) error {
	if err := scheme.AddConversionFunc((*v1alpha1.User)(nil), (*takaro.User)(nil), func(from, to any, scope conversion.Scope) error {
		return acceptedUser(from.(*v1alpha1.User), to.(*takaro.User), scope)
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
		// The generated conversion of the list may share the memory of the items with in, so it is
		// not used.
		out.Items = make([]v1alpha1.User, len(in.Items))
		for i := range in.Items {
			if err := shownUser(&in.Items[i], &out.Items[i], scope); err != nil {
				return err
			}
		}
		return nil
	})
}

// acceptedUser keeps the password of out if in has none. Mutating policies and webhooks return
// objects without write-only fields, and the result is converted into the object that was sent to
// them.
func acceptedUser(in *v1alpha1.User, out *takaro.User, scope conversion.Scope) error {
	held := out.Spec.Password
	if err := v1alpha1.Convert_v1alpha1_User_To_takaro_User(in, out, scope); err != nil {
		return err
	}
	if in.Spec.Password == nil {
		out.Spec.Password = held
	}
	out.Annotations = writeonly.ScrubApplied(out.Annotations, "spec", "password")
	return nil
}

func shownUser(in *takaro.User, out *v1alpha1.User, scope conversion.Scope) error {
	if err := v1alpha1.Convert_takaro_User_To_v1alpha1_User(in, out, scope); err != nil {
		return err
	}
	out.Spec.Password = nil
	out.Annotations = writeonly.ScrubApplied(out.Annotations, "spec", "password")
	return nil
}
