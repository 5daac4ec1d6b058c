// SPDX-License-Identifier: Apache-2.0

package compatibilityreview

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"roadstead.dev/roadstead/pkg/apis/release"
)

// table prints a review. Unlike the tables of stored kinds it has no name and no age.
type table struct{}

// ConvertToTable prints one review.
func (table) ConvertToTable(_ context.Context, object runtime.Object, options runtime.Object) (*metav1.Table, error) {
	review, ok := object.(*release.CompatibilityReview)
	if !ok {
		return nil, fmt.Errorf("cannot print %T as a CompatibilityReview", object)
	}
	status := &review.Status
	printed := &metav1.Table{Rows: []metav1.TableRow{{
		Cells:  []any{string(status.Verdict), status.Allowed, status.RequiresApproval, status.TotalFindings, status.Digest},
		Object: runtime.RawExtension{Object: object},
	}}}
	if asked, ok := options.(*metav1.TableOptions); !ok || !asked.NoHeaders {
		printed.ColumnDefinitions = []metav1.TableColumnDefinition{
			{Name: "Verdict", Type: "string", Description: "Most severe verdict of the findings."},
			{Name: "Allowed", Type: "boolean", Description: "Whether the policy allows the change."},
			{Name: "Requires Approval", Type: "boolean", Description: "Whether the change needs an approval."},
			{Name: "Findings", Type: "integer", Description: "Number of findings."},
			{Name: "Digest", Type: "string", Priority: 1, Description: "Digest of the change."},
		}
	}
	return printed, nil
}
