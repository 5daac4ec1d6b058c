// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDetails covers the details of refusals that the recording does not contain: rule and text, by
// property.
func TestDetails(t *testing.T) {
	long := strings.Repeat("x", 201)
	for _, c := range []struct {
		schema *schema
		body   string
		want   string // property: rule: text, one line each
	}{
		{domainCreate, `{}`, "name: isLength: name must be longer than or equal to 3 characters"},
		{domainCreate, `{"name":"` + long + `"}`, "name: isLength: name must be shorter than or equal to 200 characters"},
		{domainCreate, `{"name":5}`, "name: isLength: name must be longer than or equal to 3 and shorter than or equal to 200 characters"},
		{domainCreate, `{"name":"abc","maxUsers":"3","b":1,"a":1}`, "a: whitelistValidation: property a should not exist\n" +
			"b: whitelistValidation: property b should not exist\nmaxUsers: isNumber: maxUsers must be a number conforming to the " +
			"specified constraints"},
		{domainSearch, `{"filters":5}`, "filters: nestedValidation: nested property filters must be either object or array"},
		{domainSearch, `{"filters":{"id":["jolly-moons-feel"]}}`, "filters.id: isUuid: each value in id must be a UUID"},
		{domainSearch, `{"filters":null,"sortDirection":"up"}`, "sortDirection: isEnum: sortDirection must be one of the following values: "},
		{userCreate, `{"name":"bob","email":"a b@example.com","password":1,"isDashboardUser":"yes"}`, "email: isEmail: email must be an email\n" +
			"password: isString: password must be a string\nisDashboardUser: isBoolean: isDashboardUser must be a boolean value"},
		{userCreate, `{"name":"bob","email":"bob@localhost","password":""}`, "email: isEmail: email must be an email"},
		{gameServerCreate, `{"name":"abc","connectionInfo":"{","type":"DOOM"}`, "connectionInfo: isJson: connectionInfo must be a json string\n" +
			"type: isEnum: type must be one of the following values: SEVENDAYSTODIE, RUST, GENERIC, MOCK"},
		{assignInput, `{"expiresAt":"soon"}`, "expiresAt: isIso8601: expiresAt must be a valid ISO 8601 date string"},
		{settingInput, `{}`, "value: isDefined: value should not be null or undefined"},
		{userCreate, `{"name":"bob","email":"bob@example.com","password":""}`, ""},
	} {
		var body map[string]any
		require.NoError(t, json.Unmarshal([]byte(c.body), &body))
		assert.Equal(t, c.want, strings.Join(lines("", c.schema.validate(body)), "\n"), c.body)
	}
}

func lines(prefix string, violations []violation) []string {
	out := []string{}
	for _, v := range violations {
		for rule, text := range v.Constraints {
			out = append(out, prefix+v.Property+": "+rule+": "+text)
		}
		if v.Children != nil {
			out = append(out, lines(prefix+v.Property+".", *v.Children)...)
		}
	}
	return out
}
