// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"fmt"
	"slices"
	"strings"
)

// setting is a key that Takaro knows, with its default.
type setting struct {
	key, fallback, description string
	perServer                  bool
}

// settings are in the order of the real response.
var settings = []setting{
	{"commandPrefix", "/", "The prefix character(s) that players must use before commands in chat", true},
	{"serverChatName", "Takaro", "The name displayed when Takaro sends messages in game chat", true},
	{"economyEnabled", "false", "Enable or disable the economy system for earning and spending currency", true},
	{"currencyName", "Takaro coins", "The name of the currency used in the economy system", true},
	{"developerMode", "false", "Enable developer mode for custom modules and advanced features", false},
	{"messagePrefix", "", "A prefix added to all messages sent by Takaro in game chat", true},
	{"domainName", "", "The domain name for this Takaro instance", false},
	{"discordRoleSyncEnabled", "false", "Enable or disable automatic role synchronization between Discord and Takaro", false},
	{"discordRoleSyncPreferDiscord", "false", "When enabled, Discord roles will override Takaro roles during synchronization. When " +
		"disabled, Takaro roles will override Discord roles. Only affects roles that are linked between systems.", false},
	{"unknownCommandFeedbackEnabled", "false", "When enabled, players receive feedback when they type an unknown or invalid command", true},
	{"unknownCommandFeedbackMessage", "Unknown command. Type /help for available commands.",
		"The message sent to players when they type an unknown command", true},
}

var settingEnum = check{rule: "isEnum",
	ok: str(func(s string) bool { return settingOf(s) != nil }),
	text: func(property string, _ any) string {
		return property + " must be one of: " + strings.Join(settingKeys(), ", ")
	},
}

func settingKeys() []string {
	keys := []string{}
	for _, s := range settings {
		keys = append(keys, s.key)
	}
	return keys
}

func settingOf(key string) *setting {
	i := slices.IndexFunc(settings, func(s setting) bool { return s.key == key })
	if i < 0 {
		return nil
	}
	return &settings[i]
}

type settingView struct {
	Key                       string `json:"key"`
	Value                     string `json:"value"`
	Type                      string `json:"type"`
	Description               string `json:"description"`
	CanHaveGameServerOverride bool   `json:"canHaveGameServerOverride"`
}

// view shows the effective value: that of the game server, or else that of the domain, or else the
// default.
func (k setting) view(d *domain, gameServerID string) settingView {
	out := settingView{Key: k.key, Value: k.fallback, Type: "default", Description: k.description, CanHaveGameServerOverride: k.perServer}
	if v, set := d.settings[settingKey{"", k.key}]; set {
		out.Value, out.Type = v, "global"
		if gameServerID != "" {
			out.Type = "inherit"
		}
	}
	if v, set := d.settings[settingKey{gameServerID, k.key}]; set && gameServerID != "" {
		out.Value, out.Type = v, "override"
	}
	return out
}

// withSetting calls f with the setting of the path, or answers that it does not exist.
func withSetting(r *request, f func(k setting, gameServerID string) reply) reply {
	target := map[string]any{"key": r.param("key")}
	if v := validateParams([]field{must("key", settingEnum)}, target); len(v) > 0 {
		return fail(validationError(v))
	}
	return f(*settingOf(r.param("key")), r.query.Get("gameServerId"))
}

func listSettings(_ *Server, r *request) reply {
	keys := r.query["keys"]
	wanted := make([]any, 0, len(keys))
	for _, k := range keys {
		wanted = append(wanted, k)
	}
	if v := validateParams([]field{may("keys", each(settingEnum))}, map[string]any{"keys": wanted}); len(v) > 0 {
		return fail(validationError(v))
	}
	views := []settingView{}
	for _, k := range settings {
		if len(keys) == 0 || slices.Contains(keys, k.key) {
			views = append(views, k.view(r.domain, r.query.Get("gameServerId")))
		}
	}
	return ok(views)
}

func getSetting(_ *Server, r *request) reply {
	return withSetting(r, func(k setting, gameServerID string) reply { return ok(k.view(r.domain, gameServerID)) })
}

func setSetting(_ *Server, r *request) reply {
	return withSetting(r, func(k setting, _ string) reply {
		gameServerID, _ := r.body["gameServerId"].(string)
		r.domain.settings[settingKey{gameServerID, k.key}] = fmt.Sprint(r.body["value"])
		return ok(k.view(r.domain, gameServerID))
	})
}

func deleteSetting(_ *Server, r *request) reply {
	return withSetting(r, func(k setting, gameServerID string) reply {
		delete(r.domain.settings, settingKey{gameServerID, k.key})
		return ok(nil)
	})
}
