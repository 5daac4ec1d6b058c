# SPDX-License-Identifier: Apache-2.0
#
# Set-up for the commands of docs/operations.md.

# before #back-up 2
rm roadstead-encryption.yaml roadstead-takaro-seed.yaml roadstead-serving.yaml roadstead-store-identity.yaml

# before #change-the-encryption-seed 1
kubectl apply -f artifacts/examples/release/operator.yaml

# after
kubectl delete operators,operatorversions --all

# before #change-the-encryption-seed 2
until grep 'Using other encryption seeds.*"seeds":2' $APISERVER_LOG; do sleep 0.2; done

# before #change-the-encryption-seed 3
until grep 'All objects in the store are encrypted' $APISERVER_LOG; do sleep 0.2; done

# before #while-the-server-is-down 1
kubectl get apiservice v1alpha1.takaro.roadstead.dev -o yaml | sed '/^  \(resourceVersion\|uid\|creationTimestamp\):/d' > apiservice.yaml

# after #while-the-server-is-down 1
kubectl create -f apiservice.yaml
kubectl wait --for=condition=Available apiservice/v1alpha1.takaro.roadstead.dev

# after
kubectl delete -k artifacts/deploy/networkpolicy

# after
kubectl delete clusterrolebinding prometheus-reads-roadstead

# after
kubectl delete serviceaccount roadstead-metrics -n roadstead-system
kubectl delete clusterrole,clusterrolebinding roadstead:metrics
