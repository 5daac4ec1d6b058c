// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	genericregistry "k8s.io/apiserver/pkg/registry/generic"
	genericapiserver "k8s.io/apiserver/pkg/server"
	serverstorage "k8s.io/apiserver/pkg/server/storage"

	"roadstead.dev/roadstead/pkg/apiserver/crdwebhook"
	"roadstead.dev/roadstead/pkg/apiserver/filters/frontproxy"
	"roadstead.dev/roadstead/pkg/apiserver/filters/gate"
	"roadstead.dev/roadstead/pkg/registry/generic"
	releaserest "roadstead.dev/roadstead/pkg/registry/release/rest"
	takarorest "roadstead.dev/roadstead/pkg/registry/takaro/rest"
	"roadstead.dev/roadstead/pkg/storage/etcdstore"
	"roadstead.dev/roadstead/pkg/storage/identity"
	"roadstead.dev/roadstead/pkg/util/names"
)

// Name is the server's name in metrics and logs.
const Name = names.APIServer

// Config is the configuration of a Server.
type Config struct {
	Generic *genericapiserver.RecommendedConfig
	Extra   ExtraConfig
}

// ExtraConfig is the configuration that is specific to Roadstead.
type ExtraConfig struct {
	// Etcd is the client of the store. The caller that created it closes it after the server has
	// stopped.
	Etcd *etcdstore.Client
	// FrontProxy refuses requests until the aggregation layer can be authenticated. Nil: there is
	// no aggregation layer.
	FrontProxy *frontproxy.Await
	// Gate refuses resource requests while something is wrong with the store.
	Gate *gate.Gate
	// Identity decides whether the store is the right one.
	Identity *identity.Guard
	// Inventory answers requests for the inventory of the store. Nil: the server has none.
	Inventory http.Handler
	// Uncached is an authorizer without a cache, for decisions that cannot be revoked.
	Uncached authorizer.Authorizer
	// ControllerUser is the name of Roadstead's controller, the only user that creates Approvals, CRDSchemas of a chart and
	// TakaroEndpoints, and that changes status.ownership.
	ControllerUser string
	// SelfApproval allows users to approve what they requested.
	SelfApproval bool
	// Stored reads objects of this server; New sets its storage.
	Stored *generic.Stored
	// CRDGuard reviews changes of the cluster's CustomResourceDefinitions.
	CRDGuard *crdwebhook.Endpoint
}

type completedConfig struct {
	generic genericapiserver.CompletedConfig
	source  *Config
}

// CompletedConfig is a Config with all defaults set; only Complete creates one.
type CompletedConfig struct {
	*completedConfig
}

// Complete sets defaults.
func (c *Config) Complete() CompletedConfig {
	c.Generic.BuildHandlerChainFunc = c.Extra.handlerChain
	return CompletedConfig{&completedConfig{generic: c.Generic.Complete(), source: c}}
}

// connectionGrace is how long a stopping server waits for connections to close, in addition to the
// time for requests and watches. Without it, a client that keeps a connection open without a
// complete request would delay the next server by a minute.
const connectionGrace = 10 * time.Second

// Server is roadstead-apiserver.
type Server struct {
	Generic *genericapiserver.GenericAPIServer
}

// groupProvider creates the storage of one API group, or returns nil if none of its resources is
// enabled.
type groupProvider interface {
	GroupName() string
	NewAPIGroup(*runtime.Scheme, serializer.CodecFactory, runtime.ParameterCodec, serverstorage.APIResourceConfigSource,
		genericregistry.RESTOptionsGetter) (*genericapiserver.APIGroupInfo, error)
}

// New builds the server with every enabled group installed; it does not listen yet.
func (c CompletedConfig) New() (*Server, error) {
	server, err := c.generic.New(Name, genericapiserver.NewEmptyDelegate())
	if err != nil {
		return nil, fmt.Errorf("build the generic server: %w", err)
	}
	server.ShutdownTimeout = connectionGrace
	groups, err := Groups(c.source.Extra, c.generic.Authorization.Authorizer, c.generic.MergedResourceConfig, c.generic.RESTOptionsGetter)
	if err != nil {
		return nil, err
	}
	if len(groups) == 0 {
		return nil, errors.New("no API is enabled: see --runtime-config")
	}
	c.source.Extra.Stored.Serve(groups...)
	if err := server.InstallAPIGroups(groups...); err != nil {
		return nil, fmt.Errorf("install API groups: %w", err)
	}
	if err := c.installCRDGuard(server, groups); err != nil {
		return nil, err
	}
	return &Server{Generic: server}, nil
}

// Groups returns the API groups that have an enabled resource, each with its storage. getter
// returns the options of the storage; tools that describe the API pass a getter without stored
// objects.
func Groups(
	extra ExtraConfig, authz authorizer.Authorizer, enabled serverstorage.APIResourceConfigSource,
	getter genericregistry.RESTOptionsGetter,
) ([]*genericapiserver.APIGroupInfo, error) {
	providers := []groupProvider{
		takarorest.StorageProvider{Authorizer: authz, ControllerUser: extra.ControllerUser},
		releaserest.StorageProvider{Uncached: extra.Uncached, ControllerUser: extra.ControllerUser, SelfApproval: extra.SelfApproval},
	}
	var groups []*genericapiserver.APIGroupInfo
	for _, provider := range providers {
		group, err := provider.NewAPIGroup(Scheme, Codecs, ParameterCodec, enabled, getter)
		if err != nil {
			return nil, fmt.Errorf("group %s: %w", provider.GroupName(), err)
		}
		if group != nil {
			groups = append(groups, group)
		}
	}
	return groups, nil
}

// Run serves until ctx ends and then drains.
func (s *Server) Run(ctx context.Context) error {
	return s.Generic.PrepareRun().RunWithContext(ctx)
}
