// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"k8s.io/apimachinery/pkg/runtime"
	genericregistry "k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/rest"

	"roadstead.dev/roadstead/pkg/registry/release/crdschema"
	"roadstead.dev/roadstead/pkg/registry/release/crdsnapshot"
	"roadstead.dev/roadstead/pkg/registry/release/lookup"
	"roadstead.dev/roadstead/pkg/registry/release/operator"
	"roadstead.dev/roadstead/pkg/registry/release/operatorversion"
)

// addOperators adds Operators, OperatorVersions, CRDSchemas and CRDSnapshots, and sets their stores
// in objects.
func (p StorageProvider) addOperators(scheme *runtime.Scheme, getter genericregistry.RESTOptionsGetter, objects *lookup.Objects,
	storage map[string]rest.Storage) error {
	operators, operatorStatus, err := operator.NewREST(scheme, getter)
	if err != nil {
		return err
	}
	versions, versionStatus, err := operatorversion.NewREST(scheme, getter, objects, p.ControllerUser)
	if err != nil {
		return err
	}
	schemas, schemaStatus, err := crdschema.NewREST(scheme, getter, objects, p.ControllerUser)
	if err != nil {
		return err
	}
	snapshots, err := crdsnapshot.NewREST(scheme, getter)
	if err != nil {
		return err
	}
	objects.Operators, objects.OperatorVersions, objects.CRDSchemas = operators, versions, schemas
	objects.Versions = operatorversion.All(versions)
	storage["operators"], storage["operators/status"] = operators, operatorStatus
	storage["operatorversions"], storage["operatorversions/status"] = versions, versionStatus
	storage["crdschemas"], storage["crdschemas/status"] = schemas, schemaStatus
	storage["crdsnapshots"] = snapshots
	return nil
}
