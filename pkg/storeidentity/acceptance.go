// SPDX-License-Identifier: Apache-2.0

package storeidentity

// Annotations of the ConfigMap. The first is a wish of the administrator, the others are written by the server.
const (
	// AcceptAnnotation asks the server to go on with the store of this id, or with NewStore. The server removes it when it
	// has done so.
	AcceptAnnotation = "roadstead.dev/accept-store"
	// AcceptReasonAnnotation comes with AcceptAnnotation and stays: the reason in the administrator's words.
	AcceptReasonAnnotation = "roadstead.dev/accept-store-reason"
	// AcceptedAnnotation is the id of the store that was accepted last, AcceptedTimeAnnotation when that was (RFC 3339).
	AcceptedAnnotation     = "roadstead.dev/accepted-store"
	AcceptedTimeAnnotation = "roadstead.dev/accepted-store-time"
	// OlderAnnotation is the id of a store that was found to be an older copy. It stays one however far its revision
	// grows, until it is accepted.
	OlderAnnotation = "roadstead.dev/older-store"
)

// InspectHeader lets reads of a refused store pass when its value is the store's id (NewStore if it has none): the
// command accept-store looks at what it is about to accept.
const InspectHeader = "Roadstead-Inspect-Store"
