// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSearchEvents(t *testing.T) {
	b := newBench(t, Options{})
	second, err := b.ConnectGameServer(b.domain.ID, "mock-2")
	require.NoError(t, err)
	require.NoError(t, b.PlantEvent(b.domain.ID, b.mock, "chat-message"))
	b.AdvanceClock(time.Hour)
	begin := b.timestamp()
	require.NoError(t, b.PlantEvent(b.domain.ID, b.mock, "cronjob-executed"))
	require.NoError(t, b.PlantEvent(b.domain.ID, second.ID, "player-death"))
	require.ErrorIs(t, b.PlantEvent(b.domain.ID, "unknown", "chat-message"), ErrNoSuchObject)

	search := func(body string) string {
		t.Helper()
		a := b.call(t, "POST", "/event/search", body)
		require.Equal(t, 200, a.status, a.raw)
		return a.raw
	}
	newest := `"sortBy":"createdAt","sortDirection":"desc","limit":1`
	assert.Contains(t, search(`{`+newest+`}`), `"total":3`)
	found := search(fmt.Sprintf(`{"filters":{"gameserverId":[%q],"eventName":["chat-message"]},%s}`, b.mock, newest))
	assert.Contains(t, found, `"eventName":"chat-message","gameserverId":"`+b.mock+`"`)
	found = search(fmt.Sprintf(`{"filters":{"gameserverId":[%q],"eventName":["chat-message"]},"greaterThan":{"createdAt":%q},%s}`, b.mock,
		begin, newest))
	assert.Contains(t, found, `"total":0`)
	assert.Equal(t, 400, b.call(t, "POST", "/event/search", `{"filters":{"eventName":["unknown"]}}`).status)
}
