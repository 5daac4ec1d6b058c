// SPDX-License-Identifier: Apache-2.0

package anchor

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"regexp"
)

const (
	// Released is the holder of an anchor that its process gave up on a clean shutdown.
	Released = "none"
	// referencePrefix is the beginning of the reference of every anchor. No spec may name one.
	referencePrefix = "roadstead-anchor:"
	namePrefix      = "Roadstead anchor "
	holderMark      = " holder="
	holderBytes     = 4
)

// Reference returns the unique reference of the anchor of an installation.
func Reference(installation string) string { return referencePrefix + installation }

// Name returns the name of an anchor, which tells people what the object is for.
func Name(installation, holder string) string {
	return namePrefix + installation + holderMark + holder
}

var holderPattern = regexp.MustCompile(regexp.QuoteMeta(holderMark) + `([0-9a-f]{8}|` + Released + `)$`)

// HolderOf returns the holder in the name of an anchor, "" if the name holds none.
func HolderOf(name string) string {
	if match := holderPattern.FindStringSubmatch(name); match != nil {
		return match[1]
	}
	return ""
}

// Unreadable stands for the holder of an anchor whose name holds none.
const Unreadable = "unreadable"

// HolderOrUnreadable returns the holder of an anchor as messages and tokens show it.
func HolderOrUnreadable(holder string) string { return cmp.Or(holder, Unreadable) }

// NewHolder returns a random holder for a process. A value in a Lease or in the store is no proof:
// a copy of the cluster has it too.
func NewHolder() string {
	random := make([]byte, holderBytes)
	_, _ = rand.Read(random) // never fails: see crypto/rand
	return hex.EncodeToString(random)
}
