# SPDX-License-Identifier: Apache-2.0
#
# Set-up for the commands of docs/crd-compatibility.md.

# before #in-ci 1
git init -q .
mkdir -p config/crd/bases
cp artifacts/examples/crd-guard/1-installed.yaml config/crd/bases/widgets.yaml
git add config
git -c user.name=Ann -c user.email=ann@example.com commit -qm 'A definition'
git update-ref refs/remotes/origin/main HEAD
cp artifacts/examples/crd-guard/3-safe.yaml config/crd/bases/widgets.yaml

# before #compare-with-a-cluster 1
kubectl apply -f artifacts/examples/crd-guard/1-installed.yaml
kubectl wait --for=condition=Established crd/widgets.example.com
kubectl apply -f artifacts/examples/crd-guard/2-objects.yaml
kubectl config rename-context "$(kubectl config current-context)" staging

# after
kubectl delete crd widgets.example.com --ignore-not-found
