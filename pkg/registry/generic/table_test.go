// SPDX-License-Identifier: Apache-2.0

package generic

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro"
)

func TestTable(t *testing.T) {
	convertor := newTableConvertor(testKind().Columns)
	one := takaro.Domain{ObjectMeta: metav1.ObjectMeta{Name: "one", ResourceVersion: "5", CreationTimestamp: metav1.Now()},
		Spec: takaro.DomainSpec{Name: "n", Disabled: true}}
	table, err := convertor.ConvertToTable(t.Context(), &one, nil)
	require.NoError(t, err)
	require.Equal(t, "5", table.ResourceVersion)
	require.Len(t, table.Rows, 1)
	require.Equal(t, []any{"one", "n", true, "0s"}, table.Rows[0].Cells)
	nameless := one.DeepCopy()
	nameless.Spec.Name = ""
	table, err = convertor.ConvertToTable(t.Context(), nameless, nil)
	require.NoError(t, err)
	require.Equal(t, "<none>", table.Rows[0].Cells[1])
	type heading struct {
		name, kind string
		priority   int32
	}
	var headings []heading
	for _, column := range table.ColumnDefinitions {
		headings = append(headings, heading{column.Name, column.Type, column.Priority})
	}
	require.Equal(t, []heading{{"Name", "string", 0}, {"First", "string", 0}, {"Second", "boolean", 1}, {"Age", "string", 0}}, headings)

	remaining := int64(3)
	list := &takaro.DomainList{ListMeta: metav1.ListMeta{ResourceVersion: "9", Continue: "more", RemainingItemCount: &remaining},
		Items: []takaro.Domain{one, one}}
	table, err = convertor.ConvertToTable(t.Context(), list, &metav1.TableOptions{NoHeaders: true})
	require.NoError(t, err)
	require.Empty(t, table.ColumnDefinitions)
	require.Len(t, table.Rows, 2)
	require.Equal(t, metav1.ListMeta{ResourceVersion: "9", Continue: "more", RemainingItemCount: &remaining}, table.ListMeta)

	_, err = convertor.ConvertToTable(t.Context(), &metav1.PartialObjectMetadata{}, nil)
	require.ErrorContains(t, err, "cannot print *v1.PartialObjectMetadata as *takaro.Domain")
}
