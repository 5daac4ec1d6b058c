// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/engine/ownership"
	"roadstead.dev/roadstead/pkg/engine/takaro"
	standin "roadstead.dev/roadstead/test/fakes/takaro"
)

func TestHalfMadeIsLeftAloneAtFirst(t *testing.T) {
	w := newWorld(t)
	w.addDomain()
	w.halfMade()
	half := w.Takaro.Domains()[0].ID
	controller := w.controller(w.Store)
	result, err := controller.Reconcile(t.Context(), w.Request())
	require.NoError(t, err)
	assert.Equal(t, ownership.FenceGrace, result.RequeueAfter, "the former leader may be about to store the password")
	assert.Equal(t, "False InterruptedCreate", w.Condition("Ready"))
	w.Clock.Step(ownership.FenceGrace - time.Second)
	_, err = controller.Reconcile(t.Context(), w.Request())
	require.NoError(t, err)
	assert.Equal(t, half, w.Takaro.Domains()[0].ID)
	w.Settle(controller)
	w.requireReady()
	w.requireRootLogin()
	assert.NotEqual(t, half, w.Takaro.Domains()[0].ID)
}

// A domain that looks like the result of an interrupted create but was used is never removed.
func TestUsedDomainIsNeverRemoved(t *testing.T) {
	cases := map[string]func(w *world, id string){
		"a user": func(w *world, id string) {
			in := takaro.UserInput{Name: "ann", Email: "ann@example.com", Password: takaro.NewSecret("password-1")}
			_, err := attemptOf(w.T, w.running, w.Object()).Client.CreateUser(w.T.Context(), id, in)
			require.NoError(w.T, err)
		},
		"a game server": func(w *world, id string) {
			_, err := w.Takaro.ConnectGameServer(id, "server-1")
			require.NoError(w.T, err)
		},
		"a late change": func(w *world, id string) {
			w.Takaro.AdvanceClock(ownership.CreateWindow + time.Minute)
			w.change(id, `{"name":"production"}`)
		},
		"none": nil,
	}
	for name, use := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.addDomain()
			_, err := w.Takaro.InjectFault(standin.Fault{Kind: standin.FaultCutAfter, Method: http.MethodPost, Path: "/domain", Times: 1})
			require.NoError(t, err)
			_, err = w.controller(w.Store).Reconcile(t.Context(), w.Request())
			require.Error(t, err)
			id := w.ids()[0]
			if use != nil {
				use(w, id)
			}
			w.Settle(w.controller(w.Store))
			assert.Equal(t, use != nil, w.requireReady().Status.DomainID == id)
			if use != nil {
				assert.Equal(t, "False RootPasswordLost", w.Condition(v1alpha1.ConditionRootCredentials))
			}
		})
	}
}

// A create that always outlasts its request must not cause a loop of creates and removals.
func TestRemovalsBackOff(t *testing.T) {
	w := newWorld(t)
	w.addDomain()
	_, err := w.Takaro.InjectFault(standin.Fault{Kind: standin.FaultCutAfter, Method: http.MethodPost, Path: "/domain"})
	require.NoError(t, err)
	controller := w.controller(w.Store)
	begun := w.Clock.Now()
	for w.Clock.Since(begun) < time.Hour {
		result, err := controller.Reconcile(t.Context(), w.Request())
		w.Clock.Step(result.RequeueAfter)
		if err != nil {
			w.Clock.Step(time.Second)
		}
	}
	assert.LessOrEqual(t, w.Takaro.Count(http.MethodPost, "/domain"), 8)
	assert.LessOrEqual(t, len(w.ids()), 1)
}
