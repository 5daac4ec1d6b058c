// SPDX-License-Identifier: Apache-2.0

package clusternet

import (
	"net/http"
)

// connect answers one CONNECT: 200 followed by the bytes of the connection, or 502 with the reason,
// as a proxy does.
func (n *Network) connect(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodConnect {
		http.Error(w, "only CONNECT is answered here", http.StatusMethodNotAllowed)
		return
	}
	server, err := n.dial(r.Context(), r.Host)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	client, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		_ = server.Close()
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if _, err := client.Write([]byte("HTTP/1.1 200 Connection established\r\n\r\n")); err != nil {
		_, _ = client.Close(), server.Close()
		return
	}
	n.routes.pipe(client, server)
}
