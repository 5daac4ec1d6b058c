// SPDX-License-Identifier: Apache-2.0

package generic

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apiserver/pkg/authentication/user"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"pgregory.net/rapid"

	ownership "roadstead.dev/roadstead/pkg/apis/ownership/v1alpha1"
	"roadstead.dev/roadstead/pkg/apis/takaro"
)

const controller = "system:serviceaccount:roadstead:controller"

// ledgerKind is the test kind with a ledger that controllerUser writes.
func ledgerKind(controllerUser string) Kind[*takaro.Domain] {
	kind := testKind()
	kind.Ownership = func(d *takaro.Domain) **ownership.Status { return &d.Status.Ownership }
	kind.ControllerUser = controllerUser
	return kind
}

func ledgerOf(id string) *ownership.Status {
	return &ownership.Status{Records: []ownership.Record{{Kind: "Domain", ID: id, State: ownership.Held}}}
}

func as(name string) context.Context {
	return genericapirequest.WithUser(context.Background(), &user.DefaultInfo{Name: name})
}

// anyLedger draws an absent, an empty or a filled ledger.
func anyLedger(t *rapid.T, label string) *ownership.Status {
	switch id := rapid.SampledFrom([]string{"absent", "empty", "a", "b"}).Draw(t, label); id {
	case "absent":
		return nil
	case "empty":
		return &ownership.Status{}
	default:
		return ledgerOf(id)
	}
}

// Only a status update by the controller changes a ledger, whatever other clients send.
func TestOwnershipLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		configured := rapid.SampledFrom([]string{controller, ""}).Draw(t, "controllerUser")
		caller := rapid.SampledFrom([]string{controller, "ada", "", "nobody"}).Draw(t, "caller")
		ctx := as(caller)
		if caller == "nobody" {
			ctx = context.Background()
		}
		main := NewStrategy(ledgerKind(configured))
		status := NewStatusStrategy(main)
		sent, stored := &takaro.Domain{}, &takaro.Domain{}
		sent.Status.Ownership, stored.Status.Ownership = anyLedger(t, "sent"), anyLedger(t, "stored")
		sent.Status.DomainID = "sent"

		created := sent.DeepCopy()
		main.PrepareForCreate(ctx, created)
		require.Equal(t, &ownership.Status{}, created.Status.Ownership, "a new object owns nothing, and keeps a ledger")

		updated := sent.DeepCopy()
		main.PrepareForUpdate(ctx, updated, stored)
		require.Equal(t, stored.Status.Ownership, updated.Status.Ownership)

		written := sent.DeepCopy()
		status.PrepareForUpdate(ctx, written, stored)
		want := stored.Status.Ownership
		byController := caller == controller && configured == controller
		if byController && (sent.Status.Ownership != nil || apiequality.Semantic.DeepEqual(want, &ownership.Status{})) {
			want = sent.Status.Ownership
		}
		require.Equal(t, want, written.Status.Ownership)
		require.Equal(t, "sent", written.Status.DomainID, "everything else is written")
	})
}

func TestOwnership_StatusUpdate(t *testing.T) {
	for name, c := range map[string]struct {
		caller       string
		sent, stored *ownership.Status
		want         *ownership.Status
	}{
		"controller":                         {controller, ledgerOf("new"), ledgerOf("old"), ledgerOf("new")},
		"controller clears":                  {controller, &ownership.Status{}, ledgerOf("old"), &ownership.Status{}},
		"controller begins":                  {controller, &ownership.Status{}, nil, &ownership.Status{}},
		"earlier controller sends none":      {controller, nil, ledgerOf("old"), ledgerOf("old")},
		"earlier controller creates":         {controller, nil, &ownership.Status{}, nil},
		"administrator sends none":           {"ada", nil, &ownership.Status{}, &ownership.Status{}},
		"administrator":                      {"ada", ledgerOf("forged"), ledgerOf("old"), ledgerOf("old")},
		"administrator, not imported yet":    {"ada", ledgerOf("forged"), nil, nil},
		"restored into a new object":         {"backup-tool", ledgerOf("restored"), &ownership.Status{}, &ownership.Status{}},
		"name that starts like controller's": {controller + "2", ledgerOf("forged"), ledgerOf("old"), ledgerOf("old")},
	} {
		t.Run(name, func(t *testing.T) {
			object := &takaro.Domain{Status: takaro.DomainStatus{Ownership: c.sent}}
			stored := &takaro.Domain{Status: takaro.DomainStatus{Ownership: c.stored}}
			NewStatusStrategy(NewStrategy(ledgerKind(controller))).PrepareForUpdate(as(c.caller), object, stored)
			require.Equal(t, c.want, object.Status.Ownership)
		})
	}
}

func TestOwnership_KindWithout(t *testing.T) {
	kind := testKind()
	status := NewStatusStrategy(NewStrategy(kind))
	sent := &takaro.Domain{Status: takaro.DomainStatus{Ownership: ledgerOf("sent")}}
	status.PrepareForUpdate(as("ada"), sent, &takaro.Domain{})
	require.Equal(t, ledgerOf("sent"), sent.Status.Ownership)
	created := &takaro.Domain{}
	NewStrategy(kind).PrepareForCreate(as("ada"), created)
	require.Nil(t, created.Status.Ownership)
}
