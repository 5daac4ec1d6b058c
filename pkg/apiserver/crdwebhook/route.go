// SPDX-License-Identifier: Apache-2.0

package crdwebhook

import (
	"fmt"

	"github.com/emicklei/go-restful/v3"
	"k8s.io/apimachinery/pkg/runtime/schema"
	genericapiserver "k8s.io/apiserver/pkg/server"
)

// Resource is the last element of the endpoint's path, and the resource for authorization (verb
// create).
const Resource = "crdguard"

// Path returns the path of the endpoint below a served group version.
func Path(version schema.GroupVersion) string {
	return genericapiserver.APIGroupPrefix + "/" + version.Group + "/" + version.Version + "/" + Resource
}

// Install adds the endpoint to the web service of a group version, which must be installed. It is
// not part of discovery, because it stores nothing, and no admission plugin of this server reviews
// its requests.
func (e *Endpoint) Install(server *genericapiserver.GenericAPIServer, version schema.GroupVersion) error {
	root := genericapiserver.APIGroupPrefix + "/" + version.Group + "/" + version.Version
	for _, service := range server.Handler.GoRestfulContainer.RegisteredWebServices() {
		if service.RootPath() != root {
			continue
		}
		service.Route(service.POST(Resource).
			Doc("review an AdmissionReview of a CustomResourceDefinition").
			Operation("createCRDGuardReview").
			Consumes(restful.MIME_JSON).Produces(restful.MIME_JSON).
			To(func(request *restful.Request, response *restful.Response) {
				e.ServeHTTP(response.ResponseWriter, request.Request)
			}))
		return nil
	}
	return fmt.Errorf("the CRD guard needs %s, which is not served: see --runtime-config", version)
}
