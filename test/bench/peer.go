// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/cert"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/test/framework/process"
	"roadstead.dev/roadstead/test/peer"
)

// peerKinds are the kinds that are also served as CRDs.
var peerKinds = []peer.Kind{peer.Domain, peer.User, peer.CRDSchema}

// installPeer creates the CRDs, starts the webhook, and registers it with kube-apiserver.
func (b *bed) installPeer(ctx context.Context) error {
	if err := peer.Install(ctx, b.cluster.AdminConfig(), peerKinds...); err != nil {
		return err
	}
	certs := filepath.Join(b.cluster.Dir(), "webhook")
	if err := os.MkdirAll(certs, 0o700); err != nil {
		return err
	}
	chain, key, err := cert.GenerateSelfSignedCertKey("127.0.0.1", nil, nil)
	if err != nil {
		return err
	}
	for name, text := range map[string][]byte{"tls.crt": chain, "tls.key": key} {
		if err := os.WriteFile(filepath.Join(certs, name), text, 0o600); err != nil {
			return err
		}
	}
	port, err := b.startWebhook(ctx, certs)
	if err != nil {
		return err
	}
	return b.registerWebhook(ctx, "https://127.0.0.1:"+port+peer.WebhookPath, chain)
}

// startWebhook runs this program as the webhook and returns when it is ready.
func (b *bed) startWebhook(ctx context.Context, certs string) (port string, err error) {
	var ports [3]string
	for i := range ports {
		if ports[i], err = b.cluster.ReservePort(); err != nil {
			return "", err
		}
	}
	b.profiles = "127.0.0.1:" + ports[2]
	kubeconfig, err := b.accountKubeconfig(ctx, webhookAccount, []string{"get", "list", "watch"}, allGroups())
	if err != nil {
		return "", err
	}
	program, err := os.Executable()
	if err != nil {
		return "", err
	}
	log := filepath.Join(b.cluster.Dir(), "webhook.log")
	b.webhook, err = process.Start(process.Options{Program: program, Dir: b.cluster.Dir(), Log: log, Args: []string{
		"webhook", "--kubeconfig=" + kubeconfig, "--port=" + ports[0], "--cert-dir=" + certs,
		"--health-address=127.0.0.1:" + ports[1], "--profile-address=" + b.profiles,
	}})
	if err != nil {
		return "", err
	}
	var last error
	err = wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		if !b.webhook.Running() {
			return false, errors.New("it has ended")
		}
		_, err := fetch(ctx, http.DefaultClient, "http://127.0.0.1:"+ports[1]+"/readyz?verbose")
		if ctx.Err() == nil {
			last = err
		}
		return err == nil, nil
	})
	if err != nil {
		return "", fmt.Errorf("the webhook to be ready: %w; its log ends with:\n%s", errors.Join(err, last), process.Tail(log, 10))
	}
	return ports[0], nil
}

// registerWebhook registers the webhook for creates of the CRDs' objects. Updates need no review
// because the fields that the rules read are immutable.
func (b *bed) registerWebhook(ctx context.Context, url string, ca []byte) error {
	var rules []admissionv1.RuleWithOperations
	for _, kind := range peerKinds {
		rules = append(rules, admissionv1.RuleWithOperations{
			Operations: []admissionv1.OperationType{admissionv1.Create},
			Rule: admissionv1.Rule{APIGroups: []string{kind.PeerGroup()}, APIVersions: []string{peer.Version},
				Resources: []string{kind.Plural}},
		})
	}
	_, err := b.admin.AdmissionregistrationV1().ValidatingWebhookConfigurations().Create(ctx, &admissionv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "peer"},
		Webhooks: []admissionv1.ValidatingWebhook{{
			Name: "validate.peer.test", Rules: rules, ClientConfig: admissionv1.WebhookClientConfig{URL: &url, CABundle: ca},
			FailurePolicy: ptr.To(admissionv1.Fail), SideEffects: ptr.To(admissionv1.SideEffectClassNone), AdmissionReviewVersions: []string{"v1"},
		}},
	}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	return b.awaitRefusal(ctx)
}

// awaitRefusal waits until kube-apiserver calls the webhook: it then refuses an object that only
// the webhook can find to be invalid.
func (b *bed) awaitRefusal(ctx context.Context) error {
	body, err := crdJSON.encode(crdSchema("probe", "missing", 0))
	if err != nil {
		return err
	}
	url := "https://" + b.cluster.Addr() + crdJSON.collection(peer.CRDSchema, "") + "?dryRun=All"
	err = wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		_, err := send(ctx, b.asAdmin, http.MethodPost, url, jsonType, jsonType, body)
		var refused *statusError
		return errors.As(err, &refused) && refused.code == http.StatusForbidden, nil
	})
	if err != nil {
		return fmt.Errorf("kube-apiserver to ask the webhook (port %s): %w", strconv.Quote(url), err)
	}
	return nil
}
