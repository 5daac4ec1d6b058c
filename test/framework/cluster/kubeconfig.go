// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/utils/ptr"
)

// Credentials are the credentials of a kubeconfig: a token, or a client certificate with its key.
type Credentials struct {
	// Token is a bearer token, as ServiceAccountToken returns it.
	Token string
	// CertPEM and KeyPEM are the results of ClientCertificate.
	CertPEM, KeyPEM []byte
	// Namespace is the default namespace of the kubeconfig. Empty: "default".
	Namespace string
}

// WriteKubeconfig writes a kubeconfig for kube-apiserver that only its owner can read.
func (c *Cluster) WriteKubeconfig(path string, who Credentials) error {
	if err := clientcmd.WriteToFile(c.kubeconfig(who), path); err != nil {
		return fmt.Errorf("cluster: write kubeconfig %s: %w", path, err)
	}
	return nil
}

// WriteServiceAccountKubeconfig writes a kubeconfig with a token of an existing ServiceAccount. The
// token is valid for lifetime.
func (c *Cluster) WriteServiceAccountKubeconfig(ctx context.Context, path, namespace, name string, lifetime time.Duration) error {
	token, err := c.ServiceAccountToken(ctx, namespace, name, lifetime)
	if err != nil {
		return err
	}
	return c.WriteKubeconfig(path, Credentials{Token: token, Namespace: namespace})
}

// ServiceAccountToken requests a token of an existing ServiceAccount (TokenRequest) that is valid
// for lifetime. kube-apiserver requires at least 10 minutes.
func (c *Cluster) ServiceAccountToken(ctx context.Context, namespace, name string, lifetime time.Duration) (string, error) {
	client, err := kubernetes.NewForConfig(c.AdminConfig())
	if err != nil {
		return "", err
	}
	request, err := client.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, name, &authenticationv1.TokenRequest{
		Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: ptr.To(int64(lifetime.Seconds()))},
	}, metav1.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("cluster: token of ServiceAccount %s/%s: %w", namespace, name, err)
	}
	return request.Status.Token, nil
}

// ClientCertificate creates a client certificate that authenticates user as a member of groups.
func (c *Cluster) ClientCertificate(user string, groups ...string) (certPEM, keyPEM []byte, err error) {
	pair, err := c.certs.ca.client(user, groups...)
	if err != nil {
		return nil, nil, err
	}
	keyPEM, err = pair.keyPEM()
	return pair.certPEM(), keyPEM, err
}

// AdminConfig returns a new client configuration for a member of system:masters, without
// client-side rate limits.
func (c *Cluster) AdminConfig() *rest.Config { return rest.CopyConfig(c.admin) }

func (c *Cluster) kubeconfig(who Credentials) clientcmdapi.Config {
	const name = "roadstead"
	config := clientcmdapi.NewConfig()
	config.Clusters[name] = &clientcmdapi.Cluster{Server: "https://" + c.Addr(), CertificateAuthorityData: c.certs.ca.certPEM()}
	config.AuthInfos[name] = &clientcmdapi.AuthInfo{Token: who.Token, ClientCertificateData: who.CertPEM, ClientKeyData: who.KeyPEM}
	config.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name, Namespace: who.Namespace}
	config.CurrentContext = name
	return *config
}

// writeKubeconfigs writes the kubeconfigs of the administrator and the components, and creates the
// admin client.
func (c *Cluster) writeKubeconfigs() error {
	for path, user := range map[string][]string{
		c.Kubeconfig():                           {adminUser, mastersGroup},
		c.componentKubeconfig(ControllerManager): {controllerManagerUser},
		c.componentKubeconfig(Scheduler):         {schedulerUser},
		c.componentKubeconfig(Kwok):              {kwokUser, mastersGroup},
	} {
		cert, key, err := c.ClientCertificate(user[0], user[1:]...)
		if err != nil {
			return err
		}
		if err := c.WriteKubeconfig(path, Credentials{CertPEM: cert, KeyPEM: key}); err != nil {
			return err
		}
	}
	var err error
	if c.admin, err = clientcmd.BuildConfigFromFlags("", c.Kubeconfig()); err != nil {
		return err
	}
	c.admin.QPS = -1
	return nil
}

func (c *Cluster) componentKubeconfig(name string) string {
	return filepath.Join(c.certs.dir, name+".kubeconfig")
}
