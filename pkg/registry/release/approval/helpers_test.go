// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/endpoints/request"
	genericregistry "k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	clocktesting "k8s.io/utils/clock/testing"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/apis/release/install"
	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/engine/crd/compare"
	"roadstead.dev/roadstead/pkg/registry/release/lookup"
	"roadstead.dev/roadstead/pkg/storage/etcd"
)

const controller = "system:serviceaccount:roadstead-system:roadstead-controller"

// objects are stored objects by their names.
type objects map[string]runtime.Object

func (o objects) Get(_ context.Context, name string, _ *metav1.GetOptions) (runtime.Object, error) {
	if found, ok := o[name]; ok {
		return found, nil
	}
	return nil, apierrors.NewNotFound(release.Resource("crdschemas"), name)
}

// world is the storage of Approvals with its authorizer and the objects that it reads.
type world struct {
	*Storage
	t                 *testing.T
	clock             *clocktesting.FakePassiveClock
	schemas, versions objects
	operators         objects
	options           Options
	// approvers are the users with the verb approve.
	approvers map[string]bool
}

// newWorld returns a world with a CRDSchema "new" of ann that waits for an approval of its change
// from "old", and with bob and cleo as approvers.
func newWorld(t *testing.T, change ...func(*Options)) *world {
	t.Helper()
	scheme := runtime.NewScheme()
	install.Install(scheme)
	metav1.AddToGroupVersion(scheme, v1alpha1.SchemeGroupVersion)
	server, err := etcd.Start(t.Context(), t.TempDir(), "error")
	require.NoError(t, err)
	t.Cleanup(server.Stop)
	config := storagebackend.NewDefaultConfig("/registry", serializer.NewCodecFactory(scheme).LegacyCodec(v1alpha1.SchemeGroupVersion))
	config.Transport.ServerList = []string{server.Endpoint()}
	w := &world{
		t: t, clock: clocktesting.NewFakePassiveClock(asked), approvers: map[string]bool{"ann": true, "bob": true, "cleo": true},
		schemas: objects{}, versions: objects{}, operators: objects{},
	}
	w.options = Options{Authorizer: authorizer.AuthorizerFunc(w.authorize), ControllerUser: controller, Clock: w.clock}
	for _, do := range change {
		do(&w.options)
	}
	getter := genericregistry.RESTOptions{
		StorageConfig: config.ForResource(release.Resource("approvals")), Decorator: genericregistry.UndecoratedStorage,
		ResourcePrefix: "approvals",
	}
	w.Storage, err = NewREST(scheme, getter, &lookup.Objects{CRDSchemas: w.schemas, OperatorVersions: w.versions, Operators: w.operators},
		w.options)
	require.NoError(t, err)
	t.Cleanup(w.Main.Destroy)
	old, new := definition(100), definition(10)
	w.schemas["old"] = schemaOf(t, "old", old)
	waiting := schemaOf(t, "new", new)
	waiting.Annotations = map[string]string{release.RequestApprovalAnnotation: "nobody needs more"}
	waiting.Status = release.CRDSchemaStatus{
		CreatedBy: "ann", RequestedBy: "ann", Approval: release.ApprovalPending,
		Against: &release.CRDSchemaBaseline{Name: "old", UID: "uid-of-old", Change: compare.Digest(old, new)},
	}
	w.schemas["new"] = waiting
	return w
}

func (w *world) authorize(_ context.Context, asked authorizer.Attributes) (authorizer.Decision, string, error) {
	if asked.GetVerb() == "approve" && asked.GetAPIGroup() == v1alpha1.GroupName && asked.GetResource() == "approvals" &&
		asked.GetSubresource() == "" && w.approvers[asked.GetUser().GetName()] {
		return authorizer.DecisionAllow, "", nil
	}
	return authorizer.DecisionNoOpinion, "", nil
}

// definition returns a CRD with a maximum length of a field.
func definition(longest int64) *apiextensionsv1.CustomResourceDefinition {
	return &apiextensionsv1.CustomResourceDefinition{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition"},
		ObjectMeta: metav1.ObjectMeta{Name: "widgets.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "example.com", Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "widgets", Singular: "widget", Kind: "Widget", ListKind: "WidgetList"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
					Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"name": {Type: "string", MaxLength: &longest}},
				}},
			}},
		},
	}
}

func schemaOf(t *testing.T, name string, definition *apiextensionsv1.CustomResourceDefinition) *release.CRDSchema {
	t.Helper()
	raw, err := json.Marshal(definition)
	require.NoError(t, err)
	schema := &release.CRDSchema{}
	schema.Name, schema.UID = name, "uid-of-00000000-0000-0000"
	schema.Spec.Definition = runtime.RawExtension{Raw: raw}
	return schema
}

// as returns the context of a request by a user.
func as(t *testing.T, name, subresource string) context.Context {
	t.Helper()
	ctx := request.WithNamespace(t.Context(), metav1.NamespaceNone)
	ctx = request.WithRequestInfo(ctx, &request.RequestInfo{
		IsResourceRequest: true, Verb: "create", APIGroup: v1alpha1.GroupName, APIVersion: v1alpha1.SchemeGroupVersion.Version,
		Resource: "approvals", Subresource: subresource,
	})
	return request.WithUser(ctx, &user.DefaultInfo{Name: name})
}

// asking returns an Approval as the controller creates it, with fields that it must not set.
func asking() *release.Approval {
	return &release.Approval{
		ObjectMeta: metav1.ObjectMeta{Name: "crdschema-uid-of-00000-breakingcrdchange"},
		Spec: release.ApprovalSpec{
			Subject: release.ApprovalSubject{Kind: "CRDSchema", Name: "new", UID: "uid-of-00000000-0000-0000", Digest: "sha256:forged"},
			Type:    "Forged", Environment: "Production", Levels: 7, RequestedBy: "nobody", Reason: "forged", Summary: "B! maxLength 100 to 10",
			RequestedAt: metav1.NewTime(time.Unix(1, 0)), ExpiresAfter: &metav1.Duration{Duration: time.Hour},
		},
		Status: release.ApprovalStatus{Decision: release.OutcomeApproved},
	}
}

// ask creates an Approval as the controller does.
func (w *world) ask() *release.Approval {
	w.t.Helper()
	made, err := w.Main.Create(as(w.t, controller, ""), asking(), nil, &metav1.CreateOptions{})
	require.NoError(w.t, err)
	return made.(*release.Approval)
}

func (w *world) stored() *release.Approval {
	w.t.Helper()
	found, err := w.Main.Get(as(w.t, "reader", ""), asking().Name, &metav1.GetOptions{})
	require.NoError(w.t, err)
	return found.(*release.Approval)
}

// say sends a decision.
func (w *world) say(through *DecisionREST, name, reason string, dryRun ...string) error {
	w.t.Helper()
	subresource := "approve"
	if through == w.Reject {
		subresource = "reject"
	}
	_, err := through.Create(as(w.t, name, subresource), asking().Name, &release.ApprovalDecision{Reason: reason}, nil,
		&metav1.CreateOptions{DryRun: dryRun})
	return err
}
