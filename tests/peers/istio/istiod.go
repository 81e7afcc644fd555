// istiod without Kubernetes: its own server with a fake client of the Kubernetes API, and config from a folder.
//
// Usage: istiod CONFIG_DIR MESH_CONFIG_FILE ROOT_CERT_FILE
//
// It serves ADS without and with TLS, and the debug pages, on free ports of 127.0.0.1, writes the certificate of its
// CA to ROOT_CERT_FILE, and prints "READY GRPC_PORT TLS_PORT HTTP_PORT MONITORING_PORT". A token is
// "NAMESPACE:SERVICE_ACCOUNT", or a JWT with this subject.
package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"reflect"
	"strings"
	"time"
	"unsafe"

	authentication "k8s.io/api/authentication/v1"
	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	fakes "k8s.io/client-go/testing"

	"istio.io/istio/pilot/pkg/bootstrap"
	"istio.io/istio/pkg/config/schema/collections"
	"istio.io/istio/pkg/kube"
	"istio.io/istio/pkg/kube/kclient/clienttest"
	"istio.io/istio/pkg/test"
)

const namespace = "istio-system"

func main() {
	configDir, meshConfigFile, rootCertFile := os.Args[1], os.Args[2], os.Args[3]
	client := newClient()
	grpc, secure, http, monitoring := freeAddress(), freeAddress(), freeAddress(), freeAddress()
	args := bootstrap.NewPilotArgs(func(p *bootstrap.PilotArgs) {
		p.Namespace = namespace
		p.PodName = "istiod-1"
		p.MeshConfigFile = meshConfigFile
		p.RegistryOptions.FileDir = configDir
		p.RegistryOptions.Registries = []string{"Kubernetes"}
		p.RegistryOptions.ClusterRegistriesNamespace = namespace
		p.RegistryOptions.KubeOptions.DomainSuffix = "cluster.local"
		p.ShutdownDuration = time.Second
		p.ServerOptions = bootstrap.DiscoveryServerOptions{
			GRPCAddr:       grpc,
			SecureGRPCAddr: secure,
			HTTPAddr:       http,
			MonitoringAddr: monitoring,
			TLSOptions:     bootstrap.TLSOptions{TLSMinVersion: bootstrap.TLSMinVersion1_2},
		}
	})
	must(args.Complete())
	server, err := bootstrap.NewServer(args, func(s *bootstrap.Server) { setClient(s, client) })
	must(err)
	must(os.WriteFile(rootCertFile, server.CA.GetCAKeyCertBundle().GetRootCertPem(), 0o644))
	must(server.Start(make(chan struct{})))
	fmt.Println("READY", portOf(grpc), portOf(secure), portOf(http), portOf(monitoring))
	select {}
}

// newClient accepts every token, and has the namespaces and the resource definitions that istiod waits for.
func newClient() kube.Client {
	objects := []runtime.Object{}
	for _, name := range []string{namespace, "shop"} {
		objects = append(objects, &core.Namespace{ObjectMeta: meta.ObjectMeta{Name: name}})
	}
	client := kube.NewFakeClientWithVersion("34", objects...)
	client.Kube().(*fake.Clientset).PrependReactor("create", "tokenreviews", review)
	must(test.Wrap(func(t test.Failer) {
		for _, schema := range collections.Pilot.All() {
			clienttest.MakeCRD(t, client, schema.GroupVersionResource())
		}
	}))
	return client
}

func review(action fakes.Action) (bool, runtime.Object, error) {
	asked := action.(fakes.CreateAction).GetObject().(*authentication.TokenReview).DeepCopy()
	asked.Status.Audiences = asked.Spec.Audiences
	asked.Status.Authenticated = true
	asked.Status.User.Username = "system:serviceaccount:" + subjectOf(strings.TrimSpace(asked.Spec.Token))
	asked.Status.User.Groups = []string{"system:serviceaccounts"}
	return true, asked, nil
}

func subjectOf(token string) string {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return token
	}
	claims := struct{ Sub string }{}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	must(err)
	must(json.Unmarshal(payload, &claims))
	return claims.Sub
}

// setClient sets an unexported field: NewServer has no other way to run without a Kubernetes API server.
func setClient(s *bootstrap.Server, client kube.Client) {
	field := reflect.ValueOf(s).Elem().FieldByName("kubeClient")
	reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem().Set(reflect.ValueOf(client))
}

func freeAddress() string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	defer listener.Close()
	return listener.Addr().String()
}

func portOf(address string) string {
	_, port, _ := net.SplitHostPort(address)
	return port
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
