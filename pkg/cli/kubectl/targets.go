// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"fmt"
	"strings"
)

// target is a kind, or one object of it if name is not empty.
type target struct {
	kind *kind
	name string
}

func (t target) matches(n *node) bool {
	return t.kind == n.kind && (t.name == "" || t.name == n.object.GetName())
}

// targets reads arguments as kubectl does: KIND/NAME..., or KIND [NAME...].
func targets(args []string, among []*kind) ([]target, error) {
	var found []target
	if len(args) > 0 && !strings.Contains(args[0], "/") {
		k, err := choose(args[0], among)
		if err != nil {
			return nil, err
		}
		if len(args) == 1 {
			return []target{{kind: k}}, nil
		}
		for _, name := range args[1:] {
			if strings.Contains(name, "/") {
				return nil, fmt.Errorf("%q: use either KIND NAME... or KIND/NAME..., not both", name)
			}
			found = append(found, target{kind: k, name: name})
		}
		return found, nil
	}
	for _, arg := range args {
		kindName, name, _ := strings.Cut(arg, "/")
		if kindName == "" || name == "" || strings.Contains(name, "/") {
			return nil, fmt.Errorf("%q is not of the form KIND/NAME", arg)
		}
		k, err := choose(kindName, among)
		if err != nil {
			return nil, err
		}
		found = append(found, target{kind: k, name: name})
	}
	return found, nil
}
