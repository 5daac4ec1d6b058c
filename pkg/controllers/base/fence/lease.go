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

// use is the effect of a request on the Lease.
type use int

const (
	other   use = iota // the request is for another object
	renewal            // the request acquires or renews the Lease
	release            // the request releases the Lease
)

// leaseUse returns the effect of a change on the Lease, and the request to send in its place. The
// leader election of client-go renews and releases with the same PUT request, and only the holder
// in the body differs. Any request that is not clearly a renewal counts as a release, which closes
// the fence.
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
