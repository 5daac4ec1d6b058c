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

// answerWait is how long a server that does not answer is waited for: it may just be starting.
const answerWait = 20 * time.Second

// survey is what was found of an installation.
type survey struct {
	// apiServices are the APIServices that lead to our server.
	apiServices []apiregistration.APIService
	// unanswered says why our server could not be asked for what is stored; nil when it answered, or is not registered.
	unanswered error
	// kinds are what it stores, objects what there is of them.
	kinds   []kind
	objects []object
	// inventory is everything in etcd, also what the API does not list. counted: it was read to its end. Without it nothing is
	// known of kinds that are not served.
	inventory []storeidentity.InventoryObject
	counted   bool
	// workload is where the server keeps its objects by what runs, noStore when nothing runs.
	workload storePlace
	// workloads are the UIDs of the server's workloads.
	workloads []string
	// volumes: there are volumes of an embedded store. record: the cluster has the record that binds it to a store, which
	// the server makes before it stores anything.
	volumes, record bool
	// earlier is what a run before this one noted, nil without one.
	earlier *mark
}

// survey looks at everything that the decision depends on. It changes nothing.
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

// lookForObjects asks our server for what is stored. One that may just be starting is given time, unless it is said to be gone.
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

// askForObjects reads what is stored from etcd, and what the API serves of it. A store that the server refuses may be another
// one: whatever is in it, or not in it, says nothing about the installation.
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

// readInventory reads what is in etcd.
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

// answered reports whether the server said what is stored.
func (s *survey) answered() bool { return len(s.apiServices) > 0 && s.unanswered == nil && s.counted }

// confirmEmpty reads the inventory once more before a store is deleted that was found empty, or was emptied: somebody may have
// created an object meanwhile, and what the API does not list was never awaited.
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

// ofUsers are the objects that somebody made; what the controllers write for themselves is in records.
func (s *survey) ofUsers() []object {
	return filter(s.objects, func(o object) bool { return !o.kind.record })
}

// unlisted are the objects of users that are stored and that the API does not list: their kind is not served, or they cannot
// be read.
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
