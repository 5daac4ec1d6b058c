// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestControl(t *testing.T) {
	b := newBench(t, Options{Control: true})
	added := b.call(t, "POST", "/__control/faults",
		`{"kind":"429","method":"POST","path":"/domain","times":2,"retryAfter":"2s","latency":"1ms"}`)
	require.Equal(t, 201, added.status, added.raw)
	require.Len(t, b.Faults(), 1)
	want := Fault{ID: b.Faults()[0].ID, Kind: FaultTooMany, Method: "POST", Path: "/domain", Times: 2, RetryAfter: 2 * time.Second,
		Latency: time.Millisecond}
	assert.Equal(t, want, b.Faults()[0])
	assert.Equal(t, 429, b.call(t, "POST", "/domain", `{"name":"one"}`).status)
	assert.JSONEq(t, `[{"id":"`+want.ID+`","kind":"429","method":"POST","path":"/domain","times":1,"retryAfter":"2s","latency":"1ms"}]`,
		b.call(t, "GET", "/__control/faults", "").raw)
	assert.Equal(t, 204, b.call(t, "DELETE", "/__control/faults/"+want.ID, "").status)
	assert.Equal(t, 404, b.call(t, "DELETE", "/__control/faults/"+want.ID, "").status)

	assert.Contains(t, b.call(t, "GET", "/__control/requests", "").raw, `"Status": 429`)
	assert.Equal(t, 204, b.call(t, "DELETE", "/__control/requests", "").status)
	assert.Zero(t, b.Count("", ""))

	assert.Equal(t, 201, b.call(t, "POST", "/__control/domains", `{"externalReference":"theirs"}`).status)
	assert.Equal(t, 201, b.call(t, "POST", "/__control/domains", `{"externalReference":"half","halfMade":true}`).status)
	assert.Equal(t, 409, b.call(t, "POST", "/__control/domains", `{"externalReference":"half"}`).status)
	half, _ := b.DomainByReference("half")
	theirs, _ := b.DomainByReference("theirs")
	assert.Equal(t, []bool{false, true}, []bool{half.HasRoot, theirs.HasRoot})

	table := b.call(t, "GET", "/__control/domains", "").raw
	assert.Regexp(t, `(?m)^ID +NAME +REFERENCE +STATE +ROOT +USERS +SERVERS +REACHABLE$`, table)
	assert.Regexp(t, `(?m)^`+b.domain.ID+` +one +ref-one +ACTIVE +true +2/2 +1/2 +1$`, table)
	asJSON := b.call(t, "GET", "/__control/domains", "", "Accept", "application/json").raw
	assert.Contains(t, asJSON, `"ExternalReference": "theirs"`)
	for _, secret := range []string{theirs.RegistrationToken, "correct-horse"} {
		assert.NotContains(t, table+asJSON, secret)
	}
}

func TestControlRefusesNonsense(t *testing.T) {
	b := newBench(t, Options{Control: true})
	for body, want := range map[string]string{
		`{"kind":"odd"}`:                      "unknown",
		`{"kind":"latency","latency":"soon"}`: "like 500ms",
		`{"kind":"429","colour":"red"}`:       "colour",
	} {
		a := b.call(t, "POST", "/__control/faults", body)
		assert.Equal(t, 400, a.status)
		assert.Contains(t, a.raw, want)
	}
	assert.Equal(t, 400, b.call(t, "POST", "/__control/domains", `{`).status)
}

func TestTheTableOfDomainsIsByName(t *testing.T) {
	b := newBench(t, Options{Control: true})
	for _, name := range []string{"two", "four", "five", "three", "all"} {
		assert.Equal(t, 201, b.call(t, "POST", "/__control/domains", `{"name":"`+name+`"}`).status)
	}
	lines := strings.Split(strings.TrimSpace(b.call(t, "GET", "/__control/domains", "").raw), "\n")
	var names []string
	for _, line := range lines[1:] {
		fields := strings.Fields(line)
		assert.Equal(t, fields[0], DomainIDs().FindString("the domain "+line))
		names = append(names, fields[1])
	}
	assert.Equal(t, []string{"all", "five", "four", "one", "three", "two"}, names)
}

func TestWhatIsNoDomainID(t *testing.T) {
	for _, text := range []string{"arena-registration-token", "alice-takaro-user", "quick-mice", "quick-mice-dances", "slowquick-mice-dance"} {
		assert.False(t, DomainIDs().MatchString(text), text)
	}
}
