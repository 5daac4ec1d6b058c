// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	crdschemas "roadstead.dev/roadstead/pkg/controllers/release/schemas"
	"roadstead.dev/roadstead/pkg/engine/crd/compare"
	crdpolicy "roadstead.dev/roadstead/pkg/engine/crd/policy"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

const (
	retention = 400 * 24 * time.Hour
	expiry    = time.Hour
	crd       = "widgets.example.com"

	controllerUser = "system:serviceaccount:roadstead-system:roadstead-controller"
)

// manifest returns a CRD with a name property of the given maximum length.
func manifest(longest int) []byte {
	return fmt.Appendf(nil, `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
	  "metadata":{"name":"widgets.example.com"},
		"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"widgets","singular":"widget","kind":"Widget",
		  "listKind":"WidgetList"},
		"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",
		  "properties":{"name":{"type":"string","maxLength":%d}}}}}]}}`, longest)
}

func digest(t *testing.T, old, new int) string {
	t.Helper()
	before, err := crdpolicy.Decode(manifest(old))
	require.NoError(t, err)
	after, err := crdpolicy.Decode(manifest(new))
	require.NoError(t, err)
	return compare.Digest(before, after)
}

// schemaOf returns a stored CRDSchema.
func schemaOf(name, uid string, longest int) *v1alpha1.CRDSchema {
	schema := &v1alpha1.CRDSchema{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(uid), Generation: 1}}
	schema.Spec.Definition = runtime.RawExtension{Raw: manifest(longest)}
	schema.Status.CRD, schema.Status.Digest = crd, "sha256:of-"+uid
	return schema
}

// waiting returns a CRDSchema that waits for an approval of its change from "old".
func waiting(t *testing.T) *v1alpha1.CRDSchema {
	schema := schemaOf("new", "0123456789ab-new", 10)
	schema.Annotations = map[string]string{v1alpha1.RequestApprovalAnnotation: "because"}
	schema.Status.Approval, schema.Status.Phase = v1alpha1.ApprovalPending, v1alpha1.PhaseAwaitingApproval
	schema.Status.Compatibility, schema.Status.TotalFindings = "B", 1
	schema.Status.Findings = []v1alpha1.Finding{{Code: "CRD-402", Verdict: "B", Version: "v1", Path: ".name", Message: "shorter"}}
	schema.Status.Against = &v1alpha1.CRDSchemaBaseline{Name: "old", UID: "uid-of-old", Change: digest(t, 100, 10)}
	return schema
}

// world contains the state that outlives a controller.
type world struct {
	t     *testing.T
	store client.WithWatch
	clock *clocktesting.FakePassiveClock
	// clocksDisagree is set if the time is not trusted.
	clocksDisagree bool
	recorder       *events.FakeRecorder
}

func newWorld(t *testing.T, objects ...client.Object) *world {
	t.Helper()
	scheme := runtime.NewScheme()
	require.NoError(t, v1alpha1.AddToScheme(scheme))
	w := &world{t: t, clock: clocktesting.NewFakePassiveClock(start), recorder: events.NewFakeRecorder(100)}
	// As in the API server, a new Approval has a status immediately.
	w.store = interceptor.NewClient(fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).
		WithStatusSubresource(&v1alpha1.Approval{}, &v1alpha1.CRDSchema{}).
		WithIndex(&v1alpha1.Approval{}, subjectIndex, func(object client.Object) []string {
			return []string{object.(*v1alpha1.Approval).Spec.Subject.Name}
		}).
		WithIndex(&v1alpha1.CRDSchema{}, crdschemas.ByVersion, crdschemas.VersionCandidates).
		Build(), interceptor.Funcs{Create: func(ctx context.Context, inner client.WithWatch, object client.Object,
		options ...client.CreateOption) error {
		approval, ok := object.(*v1alpha1.Approval)
		if !ok {
			return inner.Create(ctx, object, options...)
		}
		approval.UID, approval.Generation, approval.Spec.Levels = types.UID("uid-of-"+approval.Name), 1, 1
		approval.CreationTimestamp = metav1.NewTime(w.clock.Now())
		if err := inner.Create(ctx, approval, options...); err != nil {
			return err
		}
		approval.Status.Decision = v1alpha1.OutcomePending
		approval.Status.ExpiresAt = &metav1.Time{Time: w.clock.Now().Add(approval.Spec.ExpiresAfter.Duration)}
		return inner.Status().Update(ctx, approval)
	}})
	return w
}

// controllers returns new controllers with a client of the API server.
func (w *world) controllers(api client.Client) (*reconciler, *schemas) {
	look := subjects{live: api, follow: newBaselines()}
	return &reconciler{client: api, subjects: look, recorder: w.recorder, now: func() (time.Time, bool) {
			return w.clock.Now(),
				!w.clocksDisagree
		}, retention: retention},
		&schemas{client: api, live: api, subjects: look, recorder: w.recorder, user: controllerUser, expiry: expiry}
}

// settle lets new controllers reconcile all objects until nothing changes.
func (w *world) settle(api client.WithWatch) {
	w.t.Helper()
	approvals, waiting := w.controllers(api)
	for range 5 {
		before := w.versions()
		for _, name := range w.names(&v1alpha1.CRDSchemaList{}) {
			_, err := waiting.Reconcile(w.t.Context(), request(name))
			require.NoError(w.t, err)
		}
		for _, name := range w.names(&v1alpha1.ApprovalList{}) {
			_, err := approvals.Reconcile(w.t.Context(), request(name))
			require.NoError(w.t, err)
		}
		if w.versions() == before {
			return
		}
	}
	require.FailNow(w.t, "it does not come to rest")
}

func request(name string) reconcile.Request {
	return reconcile.Request{NamespacedName: types.NamespacedName{Name: name}}
}

func (w *world) names(list client.ObjectList) []string {
	w.t.Helper()
	var names []string
	for _, line := range strings.Fields(w.listed(list)) {
		names = append(names, strings.SplitN(line, "@", 2)[0])
	}
	return names
}

// listed returns the objects of a list with their resource versions.
func (w *world) listed(list client.ObjectList) string {
	w.t.Helper()
	require.NoError(w.t, w.store.List(w.t.Context(), list))
	var lines []string
	switch list := list.(type) {
	case *v1alpha1.ApprovalList:
		for i := range list.Items {
			lines = append(lines, list.Items[i].Name+"@"+list.Items[i].ResourceVersion)
		}
	case *v1alpha1.CRDSchemaList:
		for i := range list.Items {
			lines = append(lines, list.Items[i].Name+"@"+list.Items[i].ResourceVersion)
		}
	}
	return strings.Join(lines, " ")
}

func (w *world) versions() string {
	return w.listed(&v1alpha1.ApprovalList{}) + " " + w.listed(&v1alpha1.CRDSchemaList{})
}

func (w *world) schema(name string) *v1alpha1.CRDSchema {
	w.t.Helper()
	found := &v1alpha1.CRDSchema{}
	require.NoError(w.t, w.store.Get(w.t.Context(), client.ObjectKey{Name: name}, found))
	return found
}

// approval returns the only Approval.
func (w *world) approval() *v1alpha1.Approval {
	w.t.Helper()
	list := &v1alpha1.ApprovalList{}
	require.NoError(w.t, w.store.List(w.t.Context(), list))
	require.Len(w.t, list.Items, 1)
	return &list.Items[0]
}

// decides records a decision as users do through the API server.
func (w *world) decides(outcome v1alpha1.ApprovalOutcome, reason string) {
	w.t.Helper()
	approval := w.approval()
	at := metav1.NewTime(w.clock.Now()).Rfc3339Copy()
	approval.Status.Decision, approval.Status.DecidedAt = outcome, &at
	approval.Status.Decisions = append(approval.Status.Decisions, v1alpha1.ApprovalRecord{Level: 1, User: "bob", Decision: outcome,
		Reason: reason, Time: at})
	require.NoError(w.t, w.store.Status().Update(w.t.Context(), approval))
}

// told returns the events since the last call.
func (w *world) told() string {
	var lines []string
	for {
		select {
		case line := <-w.recorder.Events:
			lines = append(lines, line)
		default:
			return strings.Join(lines, "\n")
		}
	}
}
