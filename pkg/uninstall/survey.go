// SPDX-License-Identifier: Apache-2.0

package uninstall

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/util/storeidentity"
)

// answerWait is how long to wait for a server that does not respond, because it may just be
// starting.
const answerWait = 20 * time.Second

// survey is what was found of an installation.
type survey struct {
	// apiServices are the APIServices that refer to Roadstead's server.
	apiServices []apiregistration.APIService
	// unanswered is why the stored objects could not be listed. It is nil if Roadstead's server
	// responded, or is not registered.
	unanswered error
	// kinds are the kinds that the server stores, objects their objects.
	kinds   []kind
	objects []object
	// inventory is the content of etcd, including objects that the API does not list. counted is
	// set if it was read completely. Otherwise nothing is known of kinds that are not served.
	inventory []storeidentity.InventoryObject
	counted   bool
	// workload is where the server stores its objects, according to the running workloads. It is
	// noStore if none is running.
	workload storePlace
	// workloads are the UIDs of the server's workloads.
	workloads []string
	// volumes is set if there are volumes of an embedded store. record is set if the cluster has
	// the record that binds it to a store, which the server creates before it stores anything.
	volumes, record bool
	// earlier is the mark of an earlier run, or nil if there is none.
	earlier *mark
}

// survey reads everything that the decision depends on. It changes nothing.
func (u *uninstallation) survey(ctx context.Context) (*survey, error) {
	s := &survey{}
	for _, look := range []func(context.Context, *survey) error{u.lookForAPIServices, u.lookForWorkloads, u.lookForVolumes, u.lookForMaps} {
		if err := look(ctx, s); err != nil {
			return nil, err
		}
	}
	return s, u.lookForObjects(ctx, s)
}

func (u *uninstallation) lookForAPIServices(ctx context.Context, s *survey) error {
	list := &apiregistration.APIServiceList{}
	if err := u.client.List(ctx, list); err != nil {
		return fmt.Errorf("listing the APIServices: %w", err)
	}
	for _, one := range list.Items {
		switch {
		case !isOurs(one.Spec.Group):
		case one.Spec.Service == nil || one.Spec.Service.Name != apiServer || one.Spec.Service.Namespace != u.namespace:
			u.say("APIService %s does not lead to the Service %s/%s: it is left alone.", one.Name, u.namespace, apiServer)
		default:
			s.apiServices = append(s.apiServices, one)
		}
	}
	return nil
}

func (u *uninstallation) lookForVolumes(ctx context.Context, s *survey) error {
	claims, err := u.volumes(ctx)
	s.volumes = len(claims) > 0
	return err
}

func (u *uninstallation) lookForMaps(ctx context.Context, s *survey) error {
	identity := &corev1.ConfigMap{}
	err := u.client.Get(ctx, client.ObjectKey{Namespace: u.namespace, Name: identityMap}, identity)
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("looking for ConfigMap %s/%s: %w", u.namespace, identityMap, err)
	}
	s.record = err == nil
	s.earlier, err = u.readMark(ctx)
	return err
}

// lookForObjects lists the stored objects. It waits for a server that may just be starting, unless
// its APIServices do not exist.
func (u *uninstallation) lookForObjects(ctx context.Context, s *survey) error {
	if len(s.apiServices) == 0 {
		return nil
	}
	limit := min(u.timeout, answerWait)
	told := false
	err := wait.PollUntilContextTimeout(ctx, u.poll, limit, true, func(ctx context.Context) (bool, error) {
		s.unanswered = u.askForObjects(ctx, s)
		if s.unanswered == nil || u.mode == strip {
			return true, nil
		}
		if apierrors.IsForbidden(s.unanswered) || apierrors.IsUnauthorized(s.unanswered) {
			return false, s.unanswered
		}
		if !told {
			u.say("The server does not answer; waiting up to %s: %v", limit, s.unanswered)
			told = true
		}
		return false, nil
	})
	if err != nil && !wait.Interrupted(err) {
		return err
	}
	return ctx.Err()
}

// askForObjects reads the stored objects from etcd and from the API. A store that the server
// rejects may be a different one: its content is no evidence about the installation.
func (u *uninstallation) askForObjects(ctx context.Context, s *survey) error {
	s.counted = false
	var err error
	if s.inventory, err = u.readInventory(ctx); err != nil {
		return err
	}
	s.counted = true
	if s.kinds, err = u.findKinds(s.apiServices); err != nil {
		return err
	}
	s.objects, err = u.list(ctx, s.kinds)
	return err
}

// readInventory reads the content of etcd.
func (u *uninstallation) readInventory(ctx context.Context) ([]storeidentity.InventoryObject, error) {
	var all []storeidentity.InventoryObject
	header, err := u.inventory(ctx, func(object storeidentity.InventoryObject) error {
		all = append(all, object)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if header.State != storeidentity.StateServing {
		return nil, fmt.Errorf("it refuses its store: state %s", header.State)
	}
	return all, nil
}

// answered reports whether the server listed what is stored.
func (s *survey) answered() bool { return len(s.apiServices) > 0 && s.unanswered == nil && s.counted }

// confirmEmpty reads the inventory once more before a store is deleted that was found empty, or was
// emptied: an object may have been created in the meantime, and objects that the API does not list
// were not waited for.
func (u *uninstallation) confirmEmpty(ctx context.Context, found *survey, kept keeping) error {
	if kept.volumes != "" || !found.answered() {
		return nil
	}
	all, err := u.readInventory(ctx)
	if err != nil {
		return fmt.Errorf("read the inventory of the store again before it is deleted: %w", err)
	}
	for _, one := range all {
		if resource := (schema.GroupResource{Group: one.Group, Resource: one.Resource}).String(); !slices.Contains(records, resource) {
			return fmt.Errorf("the store is not empty: %s %s was created meanwhile. Nothing of the store was deleted", resource,
				object{namespace: one.Namespace, name: one.Name}.place())
		}
	}
	return nil
}

// ofUsers returns the user objects. The objects that the controllers write for themselves are those
// of the kinds in records.
func (s *survey) ofUsers() []object {
	return filter(s.objects, func(o object) bool { return !o.kind.record })
}

// unlisted returns the user objects that are stored but not listed by the API: their kind is not
// served, or they cannot be read.
func (s *survey) unlisted() []storeidentity.InventoryObject {
	var found []storeidentity.InventoryObject
	for _, object := range s.inventory {
		resource := (schema.GroupResource{Group: object.Group, Resource: object.Resource}).String()
		served := slices.ContainsFunc(s.kinds, func(k kind) bool { return k.groupResource() == resource })
		if (!served || object.Error != "") && !slices.Contains(records, resource) {
			found = append(found, object)
		}
	}
	return found
}

func (s *survey) records() []object {
	return filter(s.objects, func(o object) bool { return o.kind.record })
}
