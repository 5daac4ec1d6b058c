// SPDX-License-Identifier: Apache-2.0

package storecmd

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"

	"roadstead.dev/roadstead/pkg/apiserver"
	"roadstead.dev/roadstead/pkg/util/storeidentity"
)

// eventReason is the reason of the event about an accepted store.
const eventReason = "StoreAccepted"

// requests are kept in the ConfigMap of the record, where the servers find them.
type requests struct {
	client    kubernetes.Interface
	namespace string
}

// state is the content of the ConfigMap. record is nil if there is none, or if it is invalid.
type state struct {
	record  *storeidentity.Record
	pending *storeidentity.Request
}

// read returns the state. A request that cannot be parsed is an error.
func (r requests) read(ctx context.Context) (state, error) {
	source, err := r.client.CoreV1().ConfigMaps(r.namespace).Get(ctx, storeidentity.ConfigMapName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return state{}, nil
	}
	if err != nil {
		return state{}, fmt.Errorf("read the record of the store: %w", err)
	}
	record, err := storeidentity.Parse(source)
	if err != nil {
		record = nil // an invalid record is one of the reasons to accept a store
	}
	pending, err := storeidentity.ParseRequest(source)
	return state{record: record, pending: pending}, err
}

// epoch returns the recorded epoch, 0 without a valid record.
func (r requests) epoch(ctx context.Context) (int64, error) {
	now, err := r.read(ctx)
	if err != nil {
		return 0, r.blocked(err)
	}
	if now.record == nil {
		return 0, nil
	}
	return now.record.Epoch, nil
}

// put writes a request. If the same is already requested for the same store, for example by an earlier run that was killed,
// put returns that request. Any other pending request is an error.
func (r requests) put(ctx context.Context, wanted storeidentity.Request) (storeidentity.Request, error) {
	err := r.change(ctx, func(source *corev1.ConfigMap) error {
		pending, err := storeidentity.ParseRequest(source)
		if err != nil {
			return r.blocked(err)
		}
		switch {
		case pending == nil:
			if source.Data == nil {
				source.Data = map[string]string{}
			}
			source.Data[storeidentity.RequestKey] = wanted.String()
			return nil
		case sameStore(*pending, wanted):
			wanted = *pending
			return errUnchanged
		default:
			return r.blocked(fmt.Errorf("another request is pending, to accept store %s of etcd cluster %s (%s)",
				pending.StoreID, pending.EtcdClusterID, pending.Reason))
		}
	})
	return wanted, err
}

// sameStore reports whether a pending request is for the store that is to be accepted.
func sameStore(pending, wanted storeidentity.Request) bool {
	return pending.StoreID == wanted.StoreID && pending.EtcdClusterID == wanted.EtcdClusterID && pending.Revision <= wanted.Revision
}

// blocked adds instructions for removing the request that causes an error.
func (r requests) blocked(cause error) error {
	return fmt.Errorf("%w. To remove the request, run: kubectl patch configmap %s -n %s --type=json "+
		`-p '[{"op":"remove","path":"/data/%s"}]'`, cause, storeidentity.ConfigMapName, r.namespace, storeidentity.RequestKey)
}

// withdraw removes the request with the given nonce if it is still pending.
func (r requests) withdraw(ctx context.Context, nonce string) error {
	err := r.change(ctx, func(source *corev1.ConfigMap) error {
		pending, err := storeidentity.ParseRequest(source)
		if err != nil || pending == nil || pending.Nonce != nonce {
			return errUnchanged
		}
		delete(source.Data, storeidentity.RequestKey)
		return nil
	})
	if err != nil {
		return r.blocked(fmt.Errorf("withdraw the request: %w", err))
	}
	return nil
}

// errUnchanged ends a change without a write.
var errUnchanged = errors.New("unchanged")

// change applies a change to the ConfigMap, bound to the resourceVersion that the change was computed for. A ConfigMap that
// would hold nothing does not exist, so that a server that starts for the first time can create it.
func (r requests) change(ctx context.Context, change func(*corev1.ConfigMap) error) error {
	configMaps := r.client.CoreV1().ConfigMaps(r.namespace)
	meanwhile := func(err error) bool {
		return apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) || apierrors.IsNotFound(err)
	}
	err := retry.OnError(retry.DefaultBackoff, meanwhile, func() error {
		source, err := configMaps.Get(ctx, storeidentity.ConfigMapName, metav1.GetOptions{})
		missing := apierrors.IsNotFound(err)
		if missing {
			source = &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: r.namespace, Name: storeidentity.ConfigMapName}}
		} else if err != nil {
			return err
		}
		if err := change(source); err != nil {
			return err
		}
		switch {
		case missing:
			_, err = configMaps.Create(ctx, source, metav1.CreateOptions{})
		case len(source.Data) == 0 && len(source.Annotations) == 0:
			err = configMaps.Delete(ctx, source.Name, metav1.DeleteOptions{
				Preconditions: &metav1.Preconditions{UID: &source.UID, ResourceVersion: &source.ResourceVersion},
			})
		default:
			_, err = configMaps.Update(ctx, source, metav1.UpdateOptions{})
		}
		return err
	})
	if errors.Is(err, errUnchanged) {
		return nil
	}
	return err
}

// report creates the event about an accepted store in the namespace of the installation.
func (r requests) report(ctx context.Context, record storeidentity.Record, reason string) error {
	now := metav1.Now()
	_, err := r.client.CoreV1().Events(r.namespace).Create(ctx, &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: r.namespace, GenerateName: storeidentity.ConfigMapName + "-"},
		InvolvedObject: corev1.ObjectReference{
			APIVersion: "v1", Kind: "ConfigMap", Namespace: r.namespace, Name: storeidentity.ConfigMapName,
		},
		Type:                corev1.EventTypeWarning,
		Reason:              eventReason,
		Message:             fmt.Sprintf("Store %s was accepted as epoch %d: %s", record.StoreID, record.Epoch, reason),
		Source:              corev1.EventSource{Component: apiserver.Name},
		FirstTimestamp:      now,
		LastTimestamp:       now,
		Count:               1,
		ReportingController: "roadstead.dev/accept-store",
	}, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("the store is accepted, but the event about it was not created: %w", err)
	}
	return nil
}
