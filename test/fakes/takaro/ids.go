// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"crypto/rand"
	"encoding/base64"
	"math/big"
	"regexp"
	"strings"

	"github.com/google/uuid"
)

// The words of domain ids: adjective, plural noun, verb, as in jolly-moons-feel.
var (
	adjectives = []string{"brave", "calm", "chilly", "clever", "curly", "dry", "early", "fancy", "fluffy", "gentle", "green", "happy",
		"heavy", "honest", "icy", "jolly", "kind", "late", "light", "long", "lucky", "mighty", "neat", "odd", "open", "plain", "proud", "quick",
		"quiet", "rare", "red", "rich", "round", "shiny", "silver", "slick", "small", "soft", "tall", "warm", "wild", "young"}
	nouns = []string{"apples", "badgers", "bears", "birds", "boats", "books", "boxes", "cars", "clouds", "coins", "crabs", "dogs", "doors",
		"drums", "eagles", "eels", "flies", "foxes", "frogs", "geese", "hats", "hills", "jars", "keys", "kites", "lamps", "lions", "mice",
		"moons", "owls", "pears", "pens", "rivers", "roses", "seals", "ships", "snails", "socks", "stars", "swans", "trees", "wolves"}
	verbs = []string{"act", "ask", "bake", "beam", "bet", "bow", "build", "call", "care", "carry", "cheer", "cut", "dance", "dig", "draw",
		"drive", "fail", "feel", "float", "fly", "glow", "greet", "grow", "hide", "jam", "jog", "jump", "kick", "kneel", "laugh", "march",
		"melt", "nod", "paint", "play", "rest", "roll", "say", "search", "shout", "sing", "smile", "swim", "talk",
		"trade", "wave", "work", "yell"}
)

const alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

// randomID returns an id of the form that the real API uses for the kind. The second argument, a
// name, is a hint for replacements in tests.
func randomID(kind, _ string) string {
	if kind == kindDomain {
		return pick(adjectives) + "-" + pick(nouns) + "-" + pick(verbs)
	}
	return uuid.NewString()
}

// DomainIDs returns an expression that matches ids of domains in a text.
func DomainIDs() *regexp.Regexp {
	one := func(words []string) string { return "(?:" + strings.Join(words, "|") + ")" }
	return regexp.MustCompile(`\b` + one(adjectives) + "-" + one(nouns) + "-" + one(verbs) + `\b`)
}

func pick(words []string) string { return words[randomInt(len(words))] }

func randomInt(below int) int {
	n, err := rand.Int(rand.Reader, big.NewInt(int64(below)))
	if err != nil { // cannot happen: crypto/rand's reader never fails
		panic(err)
	}
	return int(n.Int64())
}

// newRegistrationToken returns 32 random bytes in base64, as the default of the database column
// does.
func newRegistrationToken() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // crypto/rand.Read never fails
	return base64.StdEncoding.EncodeToString(b)
}

// newSessionToken returns a token of the form that Ory Kratos issues for a native login.
func newSessionToken() string {
	b := make([]byte, 32)
	for i := range b {
		b[i] = alphanumeric[randomInt(len(alphanumeric))]
	}
	return "ory_st_" + string(b)
}
