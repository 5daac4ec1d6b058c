// SPDX-License-Identifier: Apache-2.0

package orphans

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base/hold"
	"roadstead.dev/roadstead/pkg/util/storeidentity"
	"roadstead.dev/roadstead/pkg/util/text"
)

// Reasons and actions of events.
const (
	eventHeld      = string(HoldNamespaceEndNotSeen)
	eventReleased  = "HoldReleased"
	eventNoRelease = "ReleaseDoesNotMatch"
	eventDeleted   = "OrphanDeleted"
	eventAction    = "SweepOrphans"
)

// maxNames is the maximum length of the names in an event, in bytes. It leaves room for the command within base.MaxNote.
const maxNames = 500

// announcePeriod is the time between two events for a hold that does not change.
const announcePeriod = 30 * time.Minute

// announce emits events for the hold when it changes, and periodically while it does not.
func (s *sweeper) announce(h v1alpha1.Hold, release string, released bool) {
	command := ReleaseCommand(s.namespace, h.Token)
	switch {
	case released:
		s.recorder.Eventf(s.recordReference(), nil, corev1.EventTypeNormal, eventReleased, eventAction,
			"The hold was released with %s. The objects of the released namespaces are deleted.", release)
	case release != "" && h.Held > 0:
		s.recorder.Eventf(s.recordReference(), s.state(h), corev1.EventTypeWarning, eventNoRelease, eventAction,
			"The annotation %s=%s does not match the namespaces that are held now and was removed. To release them, run: %s",
			hold.ReleaseAnnotation, release, command)
	}
	if h.Held == 0 {
		s.announced = ""
		return
	}
	now := s.clock.Now()
	if h.Token == s.announced && now.Sub(s.announcedAt) < announcePeriod {
		return
	}
	s.announced, s.announcedAt = h.Token, now
	more := ""
	if n := int(h.Held) - len(h.Names); n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	const format = "Namespaces do not exist although they hold Roadstead objects, and this controller did not see their deletion (%d): " +
		"%s%s. " +
		"The objects are kept. If the cluster was restored from a backup, create the namespaces again. " +
		"If the namespaces were deleted, run: %s"
	s.recorder.Eventf(s.recordReference(), s.state(h), corev1.EventTypeWarning, eventHeld, eventAction,
		format, h.Held, text.Bytes(strings.Join(h.Names, ", "), maxNames), more, command)
	s.log.Error(nil, "Objects of absent namespaces are kept: this controller did not see the deletion of the namespaces",
		"namespaces", h.Names, "count", h.Held, "release", command)
}

// state refers to the record with the current set of held namespaces. The recorder merges events that differ only in their
// message into a series with the message of the first one, so that the command with the current token would never appear.
func (s *sweeper) state(h v1alpha1.Hold) *corev1.ObjectReference {
	return &corev1.ObjectReference{APIVersion: "v1", Kind: "ConfigMap", Namespace: s.namespace, Name: storeidentity.ConfigMapName,
		FieldPath: "holds/" + h.Token}
}
