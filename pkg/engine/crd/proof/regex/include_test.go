// SPDX-License-Identifier: Apache-2.0

package regex

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	label     = `^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	subdomain = `^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	label1035 = `^[a-z]([-a-z0-9]*[a-z0-9])?$`
	qualified = `^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$`
	envName   = `^[-._a-zA-Z][-._a-zA-Z0-9]*$`
	cName     = `^[A-Za-z_][A-Za-z0-9_]*$`
	quantity  = `^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`
	semver    = `^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-(` +
		`(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$`
	duration  = `^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`
	gatewayGo = `^([0-9]{1,5}(h|m|s|ms)){1,4}$`
	anything  = `(?s)^.*$`
)

func TestIncludes(t *testing.T) {
	for _, tc := range []struct {
		name, wider, narrower string
		proved                bool
		witness               string // "*" for any
	}{
		{"the same", `^a$`, `^a$`, true, ""},
		{"an alternative was added", `^(a|b|c)$`, `^(a|b)$`, true, ""},
		{"a removed alternative", `^(a|b)$`, `^(a|b|c)$`, false, "c"},
		{"alternatives in another order", `^(b|a)$`, `^(a|b)$`, true, ""},
		{"alternatives as a class", `^[ab]$`, `^(a|b)$`, true, ""},
		{"a class as alternatives", `^(a|b)$`, `^[ab]$`, true, ""},
		{"a removed end anchor", `^a`, `^a$`, true, ""},
		{"an added end anchor", `^a$`, `^a`, false, "aa"},
		{"a removed start anchor", `a$`, `^a$`, true, ""},
		{"an added start anchor", `^a$`, `a$`, false, "aa"},
		{"both anchors removed", `a`, `^a$`, true, ""},
		{"anchors of text for anchors of lines", `\Aa\z`, `^a$`, true, ""},
		{"anchors of lines without the flag are those of text", `^a$`, `\Aa\z`, true, ""},
		{"lines instead of text", `(?m)^a$`, `^a$`, true, ""},
		{"text instead of lines", `^a$`, `(?m)^a$`, false, "*"},
		{"an anchor of one alternative only", `^(a|b)$`, `^a|b$`, false, "aa"},
		{"anchors inside alternatives", `^a$|^b$`, `^(a|b)$`, true, ""},
		{"anchors drawn out of alternatives", `^(a|b)$`, `^a$|^b$`, true, ""},
		{"case ignored", `(?i)^abc$`, `^abc$`, true, ""},
		{"case sensitive", `^abc$`, `(?i)^abc$`, false, "*"},
		{"case ignored in a class", `(?i)^[a-c]+$`, `^[A-Ca-c]+$`, true, ""},
		{"folding reaches beyond ASCII", `^[kK]$`, `(?i)^k$`, false, "\u212a"},
		{"folding of s", `^[sS]$`, `(?i)^s$`, false, "\u017f"},
		{"a dot that matches line ends", `(?s)^.$`, `^.$`, true, ""},
		{"a dot that matches no line end", `^.$`, `(?s)^.$`, false, "\n"},
		{"an upper bound raised", `^a{1,20}$`, `^a{1,10}$`, true, ""},
		{"a lowered upper bound", `^a{1,2}$`, `^a{1,4}$`, false, "aaa"},
		{"a lower bound lowered", `^a{0,10}$`, `^a{1,10}$`, true, ""},
		{"a raised lower bound", `^a{2,10}$`, `^a{1,10}$`, false, "a"},
		{"a removed bound", `^a+$`, `^a{1,10}$`, true, ""},
		{"an added bound", `^a{1,3}$`, `^a+$`, false, "aaaa"},
		{"a star for a plus", `^a*$`, `^a+$`, true, ""},
		{"a plus for a star", `^a+$`, `^a*$`, false, ""},
		{"greed does not matter", `^a+?b$`, `^a+b$`, true, ""},
		{"a larger class", `^[a-zA-Z]+$`, `^[a-z]+$`, true, ""},
		{"a smaller class", `^[a-y]+$`, `^[a-z]+$`, false, "z"},
		{"a smaller negated class", `^[^ab]+$`, `^[^abc]+$`, true, ""},
		{"a larger negated class", `^[^ab]+$`, `^[^a]+$`, false, "b"},
		{"digits by name", `^[0-9]+$`, `^\d+$`, true, ""},
		{"words by name", `^\w+$`, `^[a-z_]+$`, true, ""},
		{"letters of Unicode", `^\pL+$`, `^[a-zäöü]+$`, true, ""},
		{"letters of ASCII only", `^[a-zA-Z]+$`, `^\pL+$`, false, "*"},
		{"POSIX classes", `^[[:alnum:]]+$`, `^[a-f0-9]+$`, true, ""},
		{"names of captures do not matter", `^(?P<n>a)(?P<m>b)$`, `^ab$`, true, ""},
		{"a label is a subdomain", subdomain, label, true, ""},
		{"a subdomain is not a label", label, subdomain, false, "a.a"},
		{"a label of RFC 1035 is one of RFC 1123", label, label1035, true, ""},
		{"a label of RFC 1123 may start with a digit", label1035, label, false, "0"},
		{"a label is a qualified name", qualified, label, true, ""},
		{"a subdomain is a qualified name", qualified, subdomain, true, ""},
		{"a qualified name is not a label", label, qualified, false, "A"},
		{"a C identifier is an environment variable name", envName, cName, true, ""},
		{"an environment variable name is not a C identifier", cName, envName, false, "-"},
		{"a label in another notation", `^[a-z0-9]+(-+[a-z0-9]+)*$`, label, true, ""},
		{"and back", label, `^[a-z0-9]+(-+[a-z0-9]+)*$`, true, ""},
		{"a label with no double dash", `^[a-z0-9]+(-[a-z0-9]+)*$`, label, false, "a--a"},
		{"a label of 63", label, `^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`, true, ""},
		{"a label with an added bound", `^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`, label, false, "*"},
		{"an integer is a quantity", quantity, `^[0-9]+$`, true, ""},
		{"mebibytes are a quantity", quantity, `^[0-9]+(Mi|Gi)$`, true, ""},
		{"a quantity is not an integer", `^[0-9]+$`, quantity, false, "*"},
		{"a kilobyte in capitals is not a quantity", quantity, `^[0-9]+[KMG]i?$`, false, "0K"},
		{"plain versions are semantic", semver, `^(0|[1-9][0-9]*)(\.(0|[1-9][0-9]*)){2}$`, true, ""},
		{"versions with leading zeroes are not", semver, `^\d+\.\d+\.\d+$`, false, "*"},
		{"a semantic version has three numbers", `^\d+\.\d+\.\d+`, semver, true, ""},
		{"short durations are durations", duration, gatewayGo, true, ""},
		{"durations may be long or in ns", gatewayGo, duration, false, "*"},
		{"the empty pattern takes all", ``, label, true, ""},
		{"not all is a label", label, ``, false, ""},
		{"unanchored dot star matches everything", `.*`, ``, true, ""},
		{"anchored dot star matches no line end", `^.*$`, ``, false, "\n"},
		{"dot star with the s flag matches everything", anything, ``, true, ""},
		{"a hidden dot star", `^(.|\n)*$`, ``, true, ""},
		{"a part is found in a longer part", `b`, `abc`, true, ""},
		{"a longer part is not found", `abc`, `b`, false, "b"},
		{"a word boundary", `\bfoo`, `^foo$`, true, ""},
		{"a word boundary that is missed", `\bfoo\b`, `foo`, false, "afoo"},
		{"a word boundary between words", `^a\b-\bb$`, `^a-b$`, true, ""},
		{"no word boundary inside", `a\Bb`, `^[ab]b$`, false, "bb"},
		{"a word boundary that can never hold", `^x$`, `a\bb`, true, ""},
		{"the narrower matches nothing", `^x$`, `[^\x00-\x{10FFFF}]`, true, ""},
		{"a line end before the end", `(?m)a$`, `a\n`, true, ""},
		{"empty lines", `(?m)^$`, `^$`, true, ""},
		{"an empty line anywhere", `^$`, `(?m)^$`, false, "*"},
		{"anchors that meet", `(?m)$^`, `^$`, true, ""},
		{"an IPv4 address in octets is one in digits", `^\d{1,3}(\.\d{1,3}){3}$`,
			`^((25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(\.|$)){4}$`, false, "0.0.0.0."},
		{"an IPv4 address", `^\d{1,3}(\.\d{1,3}){3}$`,
			`^(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(\.(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}$`, true, ""},
		{"https is http with an s", `^https?://.+$`, `^https://.+$`, true, ""},
		{"http is no longer allowed", `^https://.+$`, `^https?://.+$`, false, "http://a"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			answer := Includes(tc.wider, tc.narrower)
			assert.Equal(t, tc.proved, answer.Proved)
			assert.Equal(t, !tc.proved, answer.Refuted)
			if answer.Refuted {
				assert.Regexp(t, regexp.MustCompile(tc.narrower), answer.Witness)
				assert.NotRegexp(t, regexp.MustCompile(tc.wider), answer.Witness)
				if tc.witness != "*" {
					assert.Equal(t, tc.witness, answer.Witness)
				}
			}
		})
	}
}

func TestIncludesAll(t *testing.T) {
	for _, tc := range []struct {
		name            string
		wider, narrower []string
		want            Answer
	}{
		{"nothing is asked", nil, []string{`a`}, Answer{Proved: true}},
		{"nothing is known of the value", []string{`a`}, nil, Answer{Refuted: true}},
		{"one of the narrower is enough", []string{`^a`}, []string{`^ab`, `c$`}, Answer{Proved: true}},
		{"only both together are enough", []string{`^a.*z$`}, []string{`^a[^\n]*$`, `z$`}, Answer{Proved: true}},
		{"both together", []string{`^a(?s:.*)z$`}, []string{`^a`, `z$`}, Answer{Proved: true}},
		{"both wider patterns are checked", []string{`^a`, `b$`}, []string{`^a`}, Answer{Refuted: true, Witness: "a"}},
		{"narrower that exclude each other", []string{`^x$`}, []string{`^a`, `^b`}, Answer{Proved: true}},
		{"a length makes it true", []string{`^[a-z]{0,5}$`}, []string{`^[a-z]*$`, `\A(?s:.{0,5})\z`}, Answer{Proved: true}},
		{"a pattern that does not compile", []string{`(`}, []string{`a`}, Answer{}},
		{"even if it is the same", []string{`(`}, []string{`(`}, Answer{}},
		{"a refutation next to an unknown result", []string{`(`, `^b`}, []string{`^a`}, Answer{Refuted: true, Witness: "a"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			assert.Equal(t, tc.want, IncludesAll(tc.wider, tc.narrower))
		})
	}
}

func TestIncludes_ReadableWitness(t *testing.T) {
	answer := Includes(`^[a-z]*$`, `^[^\n]{2}$`)
	require.True(t, answer.Refuted)
	assert.Equal(t, "a0", answer.Witness)
	answer = Includes(`^[[:print:]]*$`, `^[^a]$`)
	require.True(t, answer.Refuted, "a letter beyond ASCII")
	for _, r := range answer.Witness {
		assert.Greater(t, r, rune(127))
	}
}

func TestIncludes_Limits(t *testing.T) {
	for name, pair := range map[string][2]string{
		"many subsets":      {`^[ab]*a[ab]{30}$`, `^[ab]*a[ab]{31}b[ab]*$`},
		"a long pattern":    {strings.Repeat("a", maxPattern+1), "b"},
		"a large pattern":   {`^(` + strings.Repeat("a{900}", 100) + `)$`, `^a`},
		"a deep pattern":    {strings.Repeat("(", 2000) + strings.Repeat(")", 2000), `^a`},
		"a nested quantity": {`((a{100}){10}){10}`, `^a`},
		"a large product":   {`x$`, `^([ab]{97})*([ab]{89})*([ab]{83})*x$`},
	} {
		t.Run(name, func(t *testing.T) {
			begin := time.Now()
			answer := Includes(pair[0], pair[1])
			assert.Less(t, time.Since(begin), 20*time.Second, "the limits restrict the time")
			t.Logf("%+v after %s", answer.Proved, time.Since(begin))
			if answer.Refuted {
				assert.True(t, verified(answer.Witness, pair[0], []string{pair[1]}))
			}
		})
	}
	assert.Equal(t, Answer{}, Includes(`^[ab]*a[ab]{30}$`, `^[ab]*(aa|ba)[ab]{30}$`))
}
