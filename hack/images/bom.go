// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"errors"
	"fmt"
	"path"
	"runtime/debug"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/google/uuid"
	"github.com/package-url/packageurl-go"
)

const (
	// license is that of this project, as SPDX names it.
	license = "Apache-2.0"
	// bundleModule contains the root certificates of the base layer.
	bundleModule = "golang.org/x/crypto/x509roots/fallback"
)

// newBOM lists the content of an image as CycloneDX 1.6: the program, each module that was compiled
// into it according to its build information, the standard library, and the module of the root
// certificates. The same binary results in the same bytes.
func newBOM(p program, o options, binary []byte) ([]byte, error) {
	info, err := buildinfo.Read(bytes.NewReader(binary))
	if err != nil {
		return nil, fmt.Errorf("bill of materials: %w", err)
	}
	components, err := contents(info)
	if err != nil {
		return nil, err
	}
	main, err := goModule(cdx.ComponentTypeApplication, info.Main.Path, o.version)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(binary)
	main.Name, main.Description = p.name, p.description
	main.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: fmt.Sprintf("%x", sum)}}
	main.Licenses = &cdx.Licenses{{License: &cdx.License{ID: license}}}

	bom := cdx.NewBOM()
	bom.SerialNumber = uuid.NewHash(sha256.New(), uuid.NameSpaceOID, sum[:], 8).URN()
	bom.Metadata = &cdx.Metadata{Timestamp: o.created.Format(time.RFC3339), Component: &main}
	bom.Components = &components
	bom.Dependencies = &[]cdx.Dependency{{Ref: main.BOMRef, Dependencies: references(components)}}
	var document bytes.Buffer
	err = cdx.NewBOMEncoder(&document, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cdx.SpecVersion1_6)
	return document.Bytes(), err
}

// contents returns all parts of an image except the program itself.
func contents(info *buildinfo.BuildInfo) ([]cdx.Component, error) {
	roots, err := bundleVersion()
	if err != nil {
		return nil, err
	}
	certificates, err := goModule(cdx.ComponentTypeData, bundleModule, roots)
	if err != nil {
		return nil, err
	}
	library, err := goModule(cdx.ComponentTypeLibrary, "stdlib", strings.TrimPrefix(info.GoVersion, "go"))
	if err != nil {
		return nil, err
	}
	components := []cdx.Component{certificates, library}
	for _, dependency := range info.Deps {
		if dependency.Replace != nil {
			dependency = dependency.Replace
		}
		library, err := goModule(cdx.ComponentTypeLibrary, dependency.Path, dependency.Version)
		if err != nil {
			return nil, err
		}
		components = append(components, library)
	}
	return components, nil
}

// goModule identifies a module as scanners look it up: by its package URL, which is in lower case.
func goModule(kind cdx.ComponentType, module, version string) (cdx.Component, error) {
	namespace, name := path.Split(module)
	url := packageurl.NewPackageURL(packageurl.TypeGolang, namespace, name, version, nil, "")
	if err := url.Normalize(); err != nil {
		return cdx.Component{}, fmt.Errorf("bill of materials: module %s: %w", module, err)
	}
	return cdx.Component{BOMRef: module + "@" + version, Type: kind, Name: module, Version: version, PackageURL: url.ToString()}, nil
}

func references(components []cdx.Component) *[]string {
	var all []string
	for _, component := range components {
		all = append(all, component.BOMRef)
	}
	return &all
}

// bundleVersion returns the version of the root certificates, which are compiled into this program
// but not into the programs of the images.
func bundleVersion() (string, error) {
	info, ok := debug.ReadBuildInfo()
	if ok {
		for _, dependency := range info.Deps {
			if dependency.Path == bundleModule {
				return dependency.Version, nil
			}
		}
	}
	return "", errors.New("bill of materials: this program does not know the version of " + bundleModule +
		": build it with go run ./hack/images")
}
