// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/utils/clock"

	"roadstead.dev/roadstead/pkg/controllers/controllertest"
)

func TestAnswersOfRedisAreBounded(t *testing.T) {
	for name, c := range map[string]struct {
		answers string
		err     error
	}{
		"simple answers":            {"+PONG\r\n-ERR x\r\n:1\r\n_\r\n#t\r\n,1.5\r\n(12345678901234567890\r\n", nil},
		"texts":                     {"$5\r\n*9\r\n9\r\n$0\r\n\r\n$-1\r\n=7\r\ntxt:abc\r\n", nil},
		"aggregates":                {"*2\r\n$1\r\na\r\n*-1\r\n%1\r\n+a\r\n:1\r\n~0\r\n>1\r\n+a\r\n", nil},
		"a large text":              {"$16777217\r\n", errTooLarge},
		"a length without an end":   {"$" + strings.Repeat("9", 100), errTooLarge},
		"many elements":             {"*1000001\r\n", errTooLarge},
		"many elements of a map":    {"%500001\r\n", errTooLarge},
		"many nested elements":      {strings.Repeat("*100000\r\n", 11), errTooLarge},
		"a line without an end":     {"+" + strings.Repeat("x", maxAnswerBytes), errTooLarge},
		"a length that is a text":   {"$x\r\n", errNotRedis},
		"another protocol":          {"SSH-2.0\r\n", errNotRedis},
		"another protocol later on": {"+OK\r\nSSH-2.0\r\n", errNotRedis},
		"TLS":                       {"\x15\x03\x03", errSpeaksTLS},
		"TLS later on":              {"+OK\r\n\x15\x03\x03", errNotRedis},
	} {
		t.Run(name, func(t *testing.T) {
			whole := &respChecker{}
			require.ErrorIs(t, whole.check([]byte(c.answers)), c.err)
			if len(c.answers) > 1000 {
				return
			}
			parts, err := &respChecker{}, error(nil)
			for i := 0; i < len(c.answers) && err == nil; i++ {
				err = parts.check([]byte{c.answers[i]})
			}
			require.ErrorIs(t, err, c.err, "byte by byte")
		})
	}
}

func TestRedisThatAnnouncesTooMuch(t *testing.T) {
	for name, answer := range map[string]string{"elements": "*99999999999\r\n", "a text": "$99999999999\r\n", "a map": "%99999999999\r\n"} {
		t.Run(name, func(t *testing.T) {
			err := newRedisAccess(clock.RealClock{}, controllertest.Dial, anyPort, systemSpace).check(t.Context(), greeter(t, "", answer), aclMark)
			require.Error(t, err)
			assert.Contains(t, err.Error(), errTooLarge.Error())
		})
	}
}
