// SPDX-License-Identifier: Apache-2.0

package crdguard

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"roadstead.dev/roadstead/pkg/controllers/base"
	crdpolicy "roadstead.dev/roadstead/pkg/engine/crd/policy"
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
	"roadstead.dev/roadstead/pkg/util/text"
)

// eventMissed is the reason of the event for a change that the guard would have rejected.
const eventMissed = "CRDChangeMissed"

const (
	// inNote is the maximum number of findings in an event.
	inNote = 3
	// longestName is the maximum length of the event name before the hash.
	longestName = 200
)

var missed = promauto.With(metrics.Registry).NewCounter(prometheus.CounterOpts{
	Name: "roadstead_crdguard_missed_total",
	Help: "Changes of CustomResourceDefinitions that the guard would have refused and that were made without it.",
})

// report creates the event of a missed change, and reports whether it is new. The name is derived
// from the change, so that the event is created only once, even if the controller is killed before
// it has updated the snapshot.
func (r *reconciler) report(ctx context.Context, now *apiextensionsv1.CustomResourceDefinition, found *rules.Report) (bool, error) {
	err := r.client.Create(ctx, eventOf(now, found, r.clock.Now(), r.instance))
	if apierrors.IsAlreadyExists(err) {
		return false, nil
	}
	return err == nil, err
}

func eventOf(now *apiextensionsv1.CustomResourceDefinition, found *rules.Report, at time.Time, instance string) *eventsv1.Event {
	change := sha256.Sum256(fmt.Appendf(nil, "%s/%d/%s", now.UID, now.Generation, found.Digest))
	return &eventsv1.Event{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: metav1.NamespaceDefault, // the namespace of events about cluster-scoped objects
			Name:      strings.TrimRight(now.Name[:min(longestName, len(now.Name))], ".-") + "." + hex.EncodeToString(change[:8]),
		},
		EventTime:           metav1.NewMicroTime(at),
		ReportingController: base.Component, ReportingInstance: instance,
		Action: "Compare", Reason: eventMissed, Type: corev1.EventTypeWarning,
		Regarding: corev1.ObjectReference{
			APIVersion: apiextensionsv1.SchemeGroupVersion.String(), Kind: "CustomResourceDefinition", Name: now.Name, UID: now.UID,
		},
		Note: noteOf(now, found),
	}
}

// noteOf returns the message of the event: what breaks, the digest of the change, and what to do.
// The instructions precede the part that may be cut.
func noteOf(now *apiextensionsv1.CustomResourceDefinition, found *rules.Report) string {
	lines := []string{
		fmt.Sprintf("generation %d of %s breaks what uses it (worst verdict %s, %d findings), and the guard was not asked or did not "+
			"answer in time; digest %s.",
			now.Generation, now.Name, found.Verdict, len(found.Findings), found.Digest),
		"Put the earlier definition back, or correct what uses it; see that the ValidatingWebhookConfiguration of the guard is there.",
	}
	for i := range found.Findings {
		if i == inNote {
			lines = append(lines, fmt.Sprintf("and %d more", len(found.Findings)-inNote))
			break
		}
		lines = append(lines, crdpolicy.Brief(&found.Findings[i]))
	}
	return text.Bytes(strings.Join(lines, "\n"), base.MaxNote)
}
