// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"text/template"

	"roadstead.dev/roadstead/pkg/apiserver/storecmd"
	"roadstead.dev/roadstead/pkg/controllers/manager"
)

//go:embed configuration.md.tmpl
var source string

// content is the data of the template.
type content struct {
	Controller         []row
	ControllerCommands []section
	Server             []section
	Commands           []section
	Check              []row
}

// render returns the complete page.
func render() ([]byte, error) {
	server, err := serverSections()
	if err != nil {
		return nil, err
	}
	parsed, err := template.New("configuration").Parse(source)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := parsed.Execute(&out, content{
		Controller: controllerFlags(), ControllerCommands: commands(manager.Commands()),
		Server: server, Commands: commands(storecmd.Commands()), Check: checkFlags(),
	}); err != nil {
		return nil, fmt.Errorf("configuration.md.tmpl: %w", err)
	}
	return out.Bytes(), nil
}
