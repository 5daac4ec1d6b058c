# SPDX-License-Identifier: Apache-2.0
#
# Set-up for the commands of docs/releases.md.

# before #add-an-operator 1
# The chart repository of the tests has a chart of this name, with one definition.
sed "s|https://charts.jetstack.io|$CHARTS|" artifacts/examples/release/operator.yaml > operator.yaml
cp artifacts/examples/release/compatibilityreview.yaml .

# after
kubectl delete crdschemas,operatorversions,operators --all

# before #refusals 1
version() { # NUMBER FILE: creates a version and writes its CRDSchema with the CRD in FILE to crdschema.yaml
  kubectl apply --as=ann --as-group=system:masters -f - <<EOF
apiVersion: release.roadstead.dev/v1alpha1
kind: OperatorVersion
metadata: {name: cert-manager-$1}
spec: {operatorRef: {name: cert-manager}, version: $1, crdSource: Manual}
EOF
  cat > crdschema.yaml <<EOF
apiVersion: release.roadstead.dev/v1alpha1
kind: CRDSchema
metadata:
  name: cert-manager-$1.widgets.example.com
spec:
  operatorVersionRef: {name: cert-manager-$1}
  definition:
$(sed 's/^/    /' $2)
EOF
}
# The user that last changed the Operator cannot approve its changes.
kubectl patch operator cert-manager --as=ann --as-group=system:masters --type=merge -p '{"spec":{"versionHistoryLimit":19}}'
ask() { # requests an approval of the CRD in crdschema.yaml as ann
  sed 's|^  name: cert|  annotations: {roadstead.dev/request-approval: nobody uses it}\n  name: cert|' crdschema.yaml |
    kubectl create --as=ann --as-group=system:masters -f -
  until [ -n "$(kubectl get approvals --field-selector status.decision=Pending -o name)" ]; do sleep 0.2; done
}
version v2.0.0 artifacts/examples/crd-guard/4-breaking.yaml

# before #approve-a-breaking-change 1
ask

# before #approve-a-breaking-change 3
grep -v weight artifacts/examples/crd-guard/4-breaking.yaml > definition.yaml
version v3.0.0 definition.yaml
ask
name=$(kubectl get approvals --field-selector status.decision=Pending -o jsonpath='{.items[0].metadata.name}')
