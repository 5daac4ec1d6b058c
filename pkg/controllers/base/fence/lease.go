// SPDX-License-Identifier: Apache-2.0

package fence

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/client-go/kubernetes/scheme"
)

// use is what a request does with the Lease.
type use int

const (
	other   use = iota // it is for another object
	renewal            // it acquires or renews the Lease
	release            // it releases the Lease
)

// leaseUse reads what a change does with the Lease, and returns the request to send in its place.
// The leader election of client-go renews and releases with the same PUT: only the holder in the
// body tells them apart. What is not clearly a renewal counts as a release, which closes the fence.
func (f *Fence) leaseUse(r *http.Request) (*http.Request, use, error) {
	const leases = "/leases"
	path, inGroup := strings.CutPrefix(r.URL.Path, "/apis/coordination.k8s.io/")
	create := r.Method == http.MethodPost && strings.HasSuffix(path, leases)
	if !inGroup || !create && !strings.HasSuffix(path, leases+"/"+f.lease) {
		return r, other, nil
	}
	body, err := readBody(r)
	if err != nil {
		return nil, other, fmt.Errorf("read the request for Lease %s: %w", f.lease, err)
	}
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	object, _, err := scheme.Codecs.UniversalDeserializer().Decode(body, nil, nil)
	lease, decoded := object.(*coordinationv1.Lease)
	switch {
	case create && (err != nil || !decoded || lease.Name != f.lease):
		return r, other, nil
	case err == nil && decoded && lease.Spec.HolderIdentity != nil && *lease.Spec.HolderIdentity != "":
		return r, renewal, nil
	}
	return r, release, nil
}

func readBody(r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	defer func() { _ = r.Body.Close() }()
	return io.ReadAll(r.Body)
}
