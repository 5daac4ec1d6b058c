// SPDX-License-Identifier: Apache-2.0

package anchor

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"regexp"
)

const (
	// Released is the holder of an anchor that its process released on a clean shutdown.
	Released = "none"
	// referencePrefix is the prefix of the reference of every anchor. Specs must not use it.
	referencePrefix = "roadstead-anchor:"
	namePrefix      = "Roadstead anchor "
	holderMark      = " holder="
	holderBytes     = 4
)

// Reference returns the unique reference of the anchor of an installation.
func Reference(installation string) string { return referencePrefix + installation }

// Name returns the name of an anchor, which shows users the purpose of the object.
func Name(installation, holder string) string {
	return namePrefix + installation + holderMark + holder
}

var holderPattern = regexp.MustCompile(regexp.QuoteMeta(holderMark) + `([0-9a-f]{8}|` + Released + `)$`)

// HolderOf returns the holder in the name of an anchor, or "" if the name contains none.
func HolderOf(name string) string {
	if match := holderPattern.FindStringSubmatch(name); match != nil {
		return match[1]
	}
	return ""
}

// Unreadable stands for the holder of an anchor whose name contains none.
const Unreadable = "unreadable"

// HolderOrUnreadable returns the holder of an anchor for messages and tokens.
func HolderOrUnreadable(holder string) string { return cmp.Or(holder, Unreadable) }

// NewHolder returns a random holder for a process. A value in a Lease or in the store is not a proof,
// because a copy of the cluster contains it, too.
func NewHolder() string {
	random := make([]byte, holderBytes)
	_, _ = rand.Read(random) // never fails: see crypto/rand
	return hex.EncodeToString(random)
}
