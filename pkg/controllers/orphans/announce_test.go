// SPDX-License-Identifier: Apache-2.0

package orphans

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
)

// The recorder merges events that differ only in their message.
func TestAnnounce_EachTokenHasAnEvent(t *testing.T) {
	client := fake.NewClientset()
	broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: client.EventsV1()})
	defer broadcaster.Shutdown()
	require.NoError(t, broadcaster.StartRecordingToSinkWithContext(t.Context()))
	s := &sweeper{namespace: "roadstead-system", recorder: broadcaster.NewRecorder(scheme.Scheme, base.Component),
		clock: clocktesting.NewFakeClock(time.Unix(1e9, 0))}
	var long []string
	for n := range 20 {
		long = append(long, fmt.Sprintf("%060d", n))
	}
	s.announce(v1alpha1.Hold{Held: 1, Token: "first", Names: []string{"a"}}, "", false)
	s.announce(v1alpha1.Hold{Held: 40, Token: "second", Names: long}, "", false)
	for _, token := range []string{"first", "second"} {
		assert.NoError(t, wait.PollUntilContextTimeout(t.Context(), 10*time.Millisecond, 10*time.Second, true,
			func(ctx context.Context) (bool, error) {
				list, err := client.EventsV1().Events("roadstead-system").List(ctx, metav1.ListOptions{})
				require.NoError(t, err)
				for _, event := range list.Items {
					if assert.LessOrEqual(t, len(event.Note), base.MaxNote); strings.Contains(event.Note, "release-hold="+token) {
						return true, nil
					}
				}
				return false, nil
			}), token)
	}
}
