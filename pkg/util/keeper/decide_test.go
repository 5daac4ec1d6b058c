// SPDX-License-Identifier: Apache-2.0

package keeper

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDecide_EveryRow(t *testing.T) {
	for name, tc := range map[string]struct {
		facts facts
		want  action
	}{
		"contains all":                        {facts{content: valid, generates: true}, use},
		"contains all, dependents":            {facts{content: valid, generates: true, dependents: some}, use},
		"lacks one in memory":                 {facts{content: valid, lacks: true, remembered: true, generates: true}, restore},
		"invalid, in memory":                  {facts{content: invalid, lacks: true, remembered: true, dependents: some}, restore},
		"absent, in memory":                   {facts{content: absent, lacks: true, remembered: true, dependents: none}, restore},
		"absent, in memory, never generated":  {facts{content: absent, lacks: true, remembered: true}, restore},
		"in memory, replaceable":              {facts{lacks: true, remembered: true, generates: true, replaceable: true}, restore},
		"absent, no dependents":               {facts{content: absent, generates: true, dependents: none}, generate},
		"absent and recorded, no dependents":  {facts{content: absent, lacks: true, generates: true, dependents: none}, generate},
		"lacks one, no dependents":            {facts{content: valid, lacks: true, generates: true, dependents: none}, use},
		"invalid, no dependents":              {facts{content: invalid, generates: true, dependents: none}, refuse},
		"absent, dependents":                  {facts{content: absent, generates: true, dependents: some}, refuse},
		"absent, dependents unknown":          {facts{content: absent, generates: true, dependents: unknown}, refuse},
		"absent and recorded, dependents":     {facts{content: absent, lacks: true, generates: true, dependents: some}, refuse},
		"lacks one, dependents":               {facts{content: valid, lacks: true, generates: true, dependents: some}, refuse},
		"lacks one, dependents unknown":       {facts{content: valid, lacks: true, generates: true, dependents: unknown}, refuse},
		"invalid, dependents":                 {facts{content: invalid, generates: true, dependents: some}, refuse},
		"optional and absent":                 {facts{content: absent, dependents: some}, use},
		"optional and absent, recorded":       {facts{content: absent, lacks: true, dependents: some}, refuse},
		"optional and absent, no dependents":  {facts{content: absent, lacks: true, dependents: none}, use},
		"replaceable, absent, dependents":     {facts{lacks: true, generates: true, replaceable: true, dependents: some}, generate},
		"replaceable, invalid, dependents":    {facts{content: invalid, generates: true, replaceable: true, dependents: some}, generate},
		"replaceable, lacks one, unknown":     {facts{content: valid, lacks: true, generates: true, replaceable: true}, generate},
		"replaceable, lacks one, none":        {facts{content: valid, lacks: true, generates: true, replaceable: true, dependents: none}, use},
		"replaceable but never generated":     {facts{content: valid, lacks: true, replaceable: true, dependents: some}, refuse},
		"optional and invalid, no dependents": {facts{content: invalid, dependents: none}, refuse},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.want, decide(tc.facts))
		})
	}
}
