// SPDX-License-Identifier: Apache-2.0

package storeidentity

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

const (
	headerLine = `{"storeID":"s","epoch":2,"tick":7,"revision":40,"etcdClusterID":"e","state":"StoreOlder","recordedRevision":90}`
	domainLine = `{"group":"takaro.roadstead.dev","resource":"domains","namespace":"team","name":"arena","uid":"u"}`
	brokenLine = `{"group":"takaro.roadstead.dev","resource":"users","namespace":"team","name":"root","error":"no seed"}`
)

func lines(all ...string) string { return strings.Join(all, "\n") + "\n" }

func TestParseInventory_Complete(t *testing.T) {
	var found []InventoryObject
	body := strings.NewReader(lines(headerLine, domainLine, brokenLine, `{"count":2}`))
	header, err := ParseInventory(body, func(object InventoryObject) error {
		found = append(found, object)
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, InventoryHeader{
		StoreID: "s", Epoch: 2, Tick: 7, Revision: 40, EtcdClusterID: "e", State: "StoreOlder", RecordedRevision: 90,
	}, header)
	require.Equal(t, []InventoryObject{
		{Group: "takaro.roadstead.dev", Resource: "domains", Namespace: "team", Name: "arena", UID: "u"},
		{Group: "takaro.roadstead.dev", Resource: "users", Namespace: "team", Name: "root", Error: "no seed"},
	}, found)
	_, err = ParseInventory(strings.NewReader(lines(headerLine, `{"count":0}`)), nil)
	require.NoError(t, err, "an empty store has an inventory too")
}

func TestParseInventory_Incomplete(t *testing.T) {
	for name, body := range map[string]string{
		"empty":                  "",
		"header only":            lines(headerLine),
		"no end":                 lines(headerLine, domainLine),
		"cut line":               headerLine + "\n" + domainLine[:20],
		"cut header":             headerLine[:20],
		"object missing":         lines(headerLine, domainLine, `{"count":2}`),
		"object too many":        lines(headerLine, domainLine, `{"count":0}`),
		"lines after the end":    lines(headerLine, domainLine, `{"count":1}`, domainLine),
		"not JSON":               "<html>",
		"not JSON after objects": lines(headerLine, domainLine, "proxy error"),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseInventory(strings.NewReader(body), func(InventoryObject) error { return nil })
			require.ErrorIs(t, err, ErrInventoryIncomplete)
		})
	}
}

func TestReadInventory_ErrorOfCallbackEndsReading(t *testing.T) {
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		require.Equal(t, "/prefix"+InventoryPath, r.URL.Path)
		_, _ = w.Write([]byte(lines(headerLine, domainLine, domainLine)))
	})
	stop, calls := errors.New("enough"), 0
	header, err := ReadInventory(t.Context(), client, func(InventoryObject) error { calls++; return stop })
	require.ErrorIs(t, err, stop)
	require.Equal(t, "s", header.StoreID)
	require.Equal(t, 1, calls)
}

func TestReadInventory_OfTheGroupThatIsServed(t *testing.T) {
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/prefix"+TakaroInventoryPath {
			_, _ = w.Write([]byte(lines(headerLine, domainLine, `{"count":1}`)))
			return
		}
		http.NotFound(w, r)
	})
	found := 0
	_, err := ReadInventory(t.Context(), client, func(InventoryObject) error { found++; return nil })
	require.NoError(t, err)
	require.Equal(t, 1, found)
}

func TestReadInventory_StatusOfServer(t *testing.T) {
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,"message":"no right"}`))
	})
	_, err := ReadInventory(t.Context(), client, nil)
	require.True(t, apierrors.IsForbidden(err), "%v", err)
	require.ErrorContains(t, err, "no right")
}

func TestReadInventory_ConnectionLost(t *testing.T) {
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(lines(headerLine, domainLine)))
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	})
	_, err := ReadInventory(t.Context(), client, func(InventoryObject) error { return nil })
	require.ErrorIs(t, err, ErrInventoryIncomplete)
}

// serve returns a client of a server below a path, as for clusters behind a proxy.
func serve(t *testing.T, handler http.HandlerFunc) rest.Interface {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	client, err := kubernetes.NewForConfig(&rest.Config{Host: server.URL + "/prefix"})
	require.NoError(t, err)
	return client.CoreV1().RESTClient()
}

func TestAcceptCommand(t *testing.T) {
	require.Equal(t, `roadstead-apiserver accept-store --id=new --reason="..."`, AcceptCommand(NewStore, "roadstead-system"))
	require.Equal(t, `roadstead-apiserver accept-store --id=s --reason="..." --namespace=elsewhere`, AcceptCommand("s", "elsewhere"))
}
