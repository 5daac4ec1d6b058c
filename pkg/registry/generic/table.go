// SPDX-License-Identifier: Apache-2.0

package generic

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metatable "k8s.io/apimachinery/pkg/api/meta/table"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"
)

// Column is one column of a kind's table.
type Column[T Object] struct {
	// Name is the heading of the column, Description its description in the Table.
	Name, Description string
	// Type is an OpenAPI type: string (default), integer, number, boolean.
	Type string
	// Wide shows the column only with "-o wide".
	Wide bool
	// Cell returns the value for one object.
	Cell func(T) any
}

type tableConvertor[T Object] struct {
	columns []Column[T]
}

// newTableConvertor returns a convertor that prints Name, the given columns and Age.
func newTableConvertor[T Object](columns []Column[T]) rest.TableConvertor {
	return tableConvertor[T]{columns: columns}
}

// ConvertToTable prints an object or a list.
func (c tableConvertor[T]) ConvertToTable(_ context.Context, object runtime.Object, options runtime.Object) (*metav1.Table, error) {
	table := &metav1.Table{}
	if opt, ok := options.(*metav1.TableOptions); !ok || !opt.NoHeaders {
		table.ColumnDefinitions = c.definitions()
	}
	if list, err := meta.ListAccessor(object); err == nil {
		table.ResourceVersion = list.GetResourceVersion()
		table.Continue = list.GetContinue()
		table.RemainingItemCount = list.GetRemainingItemCount()
	} else if object, err := meta.CommonAccessor(object); err == nil {
		table.ResourceVersion = object.GetResourceVersion()
	}
	var err error
	table.Rows, err = metatable.MetaToTableRow(object, func(obj runtime.Object, _ metav1.Object, name, age string) ([]any, error) {
		typed, ok := obj.(T)
		if !ok {
			return nil, fmt.Errorf("cannot print %T as %T", obj, *new(T))
		}
		cells := make([]any, 0, len(c.columns)+2)
		cells = append(cells, name)
		for _, column := range c.columns {
			cells = append(cells, shown(column.Cell(typed)))
		}
		return append(cells, age), nil
	})
	return table, err
}

// shown returns the printed form of a cell. It is never empty, as for built-in kinds, so that
// columns can be distinguished.
func shown(cell any) any {
	if cell == "" {
		return "<none>"
	}
	return cell
}

func (c tableConvertor[T]) definitions() []metav1.TableColumnDefinition {
	doc := metav1.ObjectMeta{}.SwaggerDoc()
	definitions := make([]metav1.TableColumnDefinition, 0, len(c.columns)+2)
	definitions = append(definitions, metav1.TableColumnDefinition{Name: "Name", Type: "string", Format: "name", Description: doc["name"]})
	for _, column := range c.columns {
		definition := metav1.TableColumnDefinition{Name: column.Name, Type: column.Type, Description: column.Description}
		if definition.Type == "" {
			definition.Type = "string"
		}
		if column.Wide {
			definition.Priority = 1
		}
		definitions = append(definitions, definition)
	}
	return append(definitions, metav1.TableColumnDefinition{Name: "Age", Type: "string", Description: doc["creationTimestamp"]})
}
