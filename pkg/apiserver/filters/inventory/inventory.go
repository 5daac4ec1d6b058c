// SPDX-License-Identifier: Apache-2.0

package inventory

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/endpoints/handlers/responsewriters"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/klog/v2"

	"roadstead.dev/roadstead/pkg/util/storeidentity"
)

// contentType is the content type of newline-delimited JSON.
const contentType = "application/x-ndjson"

// bufferBytes is the size of the buffer of the response. An error before the first flush results in
// an error status.
const bufferBytes = 64 << 10

// resource is the resource for authorization: the verb list on it is required to read the
// inventory.
var resource = schema.GroupResource{Group: "release.roadstead.dev", Resource: "storeinventories"}

// Source describes the store that the server observes.
type Source interface {
	// Header returns the facts at one revision, or an error while etcd does not respond.
	Header(ctx context.Context) (storeidentity.InventoryHeader, error)
}

// Lister lists the objects at the revision of a header; inventory.Lister of pkg/storage implements it.
type Lister interface {
	List(ctx context.Context, header storeidentity.InventoryHeader, each func(storeidentity.InventoryObject) error) (int, error)
}

// New returns the handler of storeidentity.InventoryPath. The serializer encodes errors.
func New(source Source, lister Lister, serializer runtime.NegotiatedSerializer) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := &answer{to: w}
		buffer := bufio.NewWriterSize(answer, bufferBytes)
		err := stream(r.Context(), buffer, source, lister)
		if err == nil {
			// An error means that the client has disconnected.
			_ = buffer.Flush()
			return
		}
		if answer.sent {
			// The client sees that the last line is missing.
			klog.FromContext(r.Context()).Error(err, "Failed to write the complete inventory of the store")
			return
		}
		refuse(w, r, serializer, apierrors.NewServiceUnavailable(err.Error()))
	})
}

// stream writes the inventory without a final flush.
func stream(ctx context.Context, w io.Writer, source Source, lister Lister) error {
	header, err := source.Header(ctx)
	if err != nil {
		return err
	}
	lines := json.NewEncoder(w)
	if err := lines.Encode(header); err != nil {
		return err
	}
	count, err := lister.List(ctx, header, func(object storeidentity.InventoryObject) error { return lines.Encode(object) })
	if err != nil {
		return err
	}
	return lines.Encode(storeidentity.InventoryEnd{Count: count})
}

// answer is the body of a response. It sets the type of the content when the first bytes are sent.
type answer struct {
	to   http.ResponseWriter
	sent bool
}

// Write implements io.Writer.
func (a *answer) Write(part []byte) (int, error) {
	if !a.sent {
		a.to.Header().Set("Content-Type", contentType)
		a.sent = true
	}
	return a.to.Write(part)
}

// Filter passes requests for the inventory, with the path of either group, to the inventory, and
// all others to next. Without an inventory the path does not exist. The filter must run after
// authentication and authorization, and before the gate.
func Filter(inventory, next http.Handler, serializer runtime.NegotiatedSerializer) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != storeidentity.InventoryPath && r.URL.Path != storeidentity.TakaroInventoryPath {
			next.ServeHTTP(w, r)
			return
		}
		info, found := genericapirequest.RequestInfoFrom(r.Context())
		switch {
		case inventory == nil:
			refuse(w, r, serializer, apierrors.NewNotFound(resource, ""))
		// With ?watch=true authorization has reviewed another verb.
		case r.Method != http.MethodGet || !found || info.Verb != "list":
			w.Header().Set("Allow", http.MethodGet)
			refuse(w, r, serializer, apierrors.NewMethodNotSupported(resource, verb(r, info)))
		default:
			inventory.ServeHTTP(w, r)
		}
	})
}

func verb(r *http.Request, info *genericapirequest.RequestInfo) string {
	if info == nil {
		return r.Method
	}
	return info.Verb
}

func refuse(w http.ResponseWriter, r *http.Request, serializer runtime.NegotiatedSerializer, err error) {
	responsewriters.ErrorNegotiated(err, serializer, schema.GroupVersion{Group: resource.Group, Version: "v1alpha1"}, w, r)
}
