// SPDX-License-Identifier: Apache-2.0

package storecmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/retry"

	"roadstead.dev/roadstead/pkg/apiserver"
	"roadstead.dev/roadstead/pkg/cli"
	"roadstead.dev/roadstead/pkg/storeidentity"
)

// EventReason is the reason of the event that tells of an accepted store.
const EventReason = "StoreAccepted"

// accept is the command accept-store.
type accept struct {
	kubeconfig, namespace string
	id, reason            string
	yes                   bool
	timeout               time.Duration
	out                   io.Writer
}

func newAccept() *cobra.Command {
	a := &accept{namespace: cli.InstallationNamespace(), timeout: time.Minute}
	command := &cobra.Command{
		Use:   "accept-store",
		Short: "Go on with a store that the server refuses",
		Long: "accept-store lets the server go on with the store that it has now, although that is empty, older, restored, of\n" +
			"another installation or of another cluster. The message by which the server refuses requests names the store's id.\n\n" +
			"The garbage collector of the cluster then deletes every object whose owner was a Roadstead object that is not in\n" +
			"this store. accept-store lists them first, and goes on only with --yes if there are any.\n\n" +
			"It talks to the cluster only, as an administrator; the server must be running.",
		RunE: func(command *cobra.Command, _ []string) error {
			a.out = command.OutOrStdout()
			return a.run(command.Context())
		},
	}
	flags := command.Flags()
	flags.StringVar(&a.kubeconfig, "kubeconfig", a.kubeconfig, "Kubeconfig of an administrator of the cluster. Empty: as kubectl finds it.")
	flags.StringVar(&a.namespace, "namespace", a.namespace, "Namespace of the installation.")
	flags.StringVar(&a.id, "id", a.id, fmt.Sprintf("Id of the store to go on with; %q if it has none.", storeidentity.NewStore))
	flags.StringVar(&a.reason, "reason", a.reason, "Why. It is kept with the record of the store.")
	flags.BoolVar(&a.yes, "yes", a.yes, "Go on although objects will be deleted because their owners are missing.")
	flags.DurationVar(&a.timeout, "timeout", a.timeout, "How long to wait for the server to serve the store.")
	return command
}

func (a *accept) run(ctx context.Context) error {
	if a.id == "" || a.reason == "" {
		return errors.New("accept-store: --id and --reason are needed; the message of a refused request names the id")
	}
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = a.kubeconfig
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{}).ClientConfig()
	if err != nil {
		return fmt.Errorf("accept-store: --kubeconfig: %w", err)
	}
	config.QPS = -1
	// Old kinds are listed too; that they are old is no news here.
	config.WarningHandler = rest.NoWarnings{}
	if err := a.accept(ctx, config); err != nil {
		return fmt.Errorf("accept-store: %w", err)
	}
	return nil
}

func (a *accept) accept(ctx context.Context, config *rest.Config) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	look, err := newInspection(ctx, config, client.Discovery(), a.id)
	if err != nil {
		return err
	}
	if err := look.refused(ctx); err != nil {
		return err
	}
	missing, err := look.missingOwners(ctx)
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		_, _ = fmt.Fprint(a.out, describe(missing))
		if !a.yes {
			return errors.New("nothing was changed; to go on nevertheless, give --yes too")
		}
	} else {
		_, _ = fmt.Fprintln(a.out, "Every owner of the objects in this cluster is in the store.")
	}
	if err := a.ask(ctx, client); err != nil {
		return err
	}
	record, err := a.await(ctx, client, look)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(a.out, "The server goes on with store %s.\n", record.StoreID)
	return a.tell(ctx, client, record)
}

// ask writes the wish into the ConfigMap of the record, where the server finds it.
func (a *accept) ask(ctx context.Context, client kubernetes.Interface) error {
	return a.change(ctx, client, func(source *corev1.ConfigMap) {
		if source.Annotations == nil {
			source.Annotations = map[string]string{}
		}
		source.Annotations[storeidentity.AcceptAnnotation] = a.id
		source.Annotations[storeidentity.AcceptReasonAnnotation] = a.reason
	})
}

func (a *accept) change(ctx context.Context, client kubernetes.Interface, change func(*corev1.ConfigMap)) error {
	configMaps := client.CoreV1().ConfigMaps(a.namespace)
	return retry.OnError(retry.DefaultBackoff, func(err error) bool { return apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) }, func() error {
		source, err := configMaps.Get(ctx, storeidentity.ConfigMapName, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			source = &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: a.namespace, Name: storeidentity.ConfigMapName}}
			change(source)
			_, err = configMaps.Create(ctx, source, metav1.CreateOptions{})
			return err
		}
		if err != nil {
			return err
		}
		change(source)
		_, err = configMaps.Update(ctx, source, metav1.UpdateOptions{})
		return err
	})
}

// await returns the new record when the server serves the store. A wish that it does not fulfil in time is taken back: it
// must not surprise anybody later.
func (a *accept) await(ctx context.Context, client kubernetes.Interface, look *inspection) (storeidentity.Record, error) {
	var record storeidentity.Record
	last := errors.New("the server has not taken it up")
	err := wait.PollUntilContextTimeout(ctx, 500*time.Millisecond, a.timeout, true, func(ctx context.Context) (bool, error) {
		source, err := client.CoreV1().ConfigMaps(a.namespace).Get(ctx, storeidentity.ConfigMapName, metav1.GetOptions{})
		if err != nil {
			last = err
			return false, nil
		}
		if _, pending := source.Annotations[storeidentity.AcceptAnnotation]; pending {
			return false, nil
		}
		found, err := storeidentity.Parse(source)
		if err != nil || found == nil {
			return false, err
		}
		record, last = *found, look.served(ctx)
		return last == nil, nil
	})
	if err == nil {
		return record, nil
	}
	back := a.change(context.WithoutCancel(ctx), client, func(source *corev1.ConfigMap) {
		delete(source.Annotations, storeidentity.AcceptAnnotation)
	})
	return record, errors.Join(fmt.Errorf("after %s: %w (%w); look at the log of %s", a.timeout, last, err, apiserver.Name), back)
}

// tell leaves an event in the installation's namespace.
func (a *accept) tell(ctx context.Context, client kubernetes.Interface, record storeidentity.Record) error {
	now := metav1.Now()
	_, err := client.CoreV1().Events(a.namespace).Create(ctx, &corev1.Event{
		ObjectMeta:          metav1.ObjectMeta{Namespace: a.namespace, GenerateName: storeidentity.ConfigMapName + "-"},
		InvolvedObject:      corev1.ObjectReference{APIVersion: "v1", Kind: "ConfigMap", Namespace: a.namespace, Name: storeidentity.ConfigMapName},
		Type:                corev1.EventTypeWarning,
		Reason:              EventReason,
		Message:             fmt.Sprintf("Store %s was accepted: %s", record.StoreID, a.reason),
		Source:              corev1.EventSource{Component: apiserver.Name},
		FirstTimestamp:      now,
		LastTimestamp:       now,
		Count:               1,
		ReportingController: "roadstead.dev/accept-store",
	}, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("the store is accepted, but the event of it was not written: %w", err)
	}
	return nil
}
