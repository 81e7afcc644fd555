// A management server on go-control-plane. Usage: server XDS_ADDRESS CONTROL_ADDRESS [MIN_TIME]
//
// MIN_TIME is the shortest time between two pings of a client, as in 15s; the default is that of gRPC-Go, 5m.
//
// Requests to CONTROL_ADDRESS:
//
//	POST /type   {"typeUrl", "version", "resources": [base64]} replaces all resources of a type
//	POST /stop   ends streams and connections; POST /start listens again at the same address
//	GET  /events what happened on the streams, oldest first
//
// Output: "READY XDS_PORT CONTROL_PORT".
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	_ "github.com/envoyproxy/go-control-plane/envoy/config/cluster/v3"
	core "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/config/endpoint/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/config/listener/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/config/route/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/transport_sockets/tls/v3"
	discovery "github.com/envoyproxy/go-control-plane/envoy/service/discovery/v3"
	"github.com/envoyproxy/go-control-plane/pkg/cache/types"
	"github.com/envoyproxy/go-control-plane/pkg/cache/v3"
	"github.com/envoyproxy/go-control-plane/pkg/server/v3"
	status "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// An event of a stream. Version is that of the response that was sent or answered.
type event struct {
	AtMs    int64    `json:"atMs"`
	Kind    string   `json:"kind"`
	Stream  int64    `json:"stream"`
	TypeURL string   `json:"typeUrl"`
	Version string   `json:"version"`
	// Response: the resources in it. Otherwise all names that the stream requests.
	Names []string `json:"names"`
	Text  string   `json:"text"`
	// Delta.
	Removed  []string          `json:"removed,omitempty"`
	Versions map[string]string `json:"versions,omitempty"`
}

type everyNode struct{}

func (everyNode) ID(*core.Node) string { return "*" }

var (
	mutex    sync.Mutex
	events   = []event{}
	versions = map[string]string{} // by stream and nonce
	// Delta: the requested names by stream and type.
	subscribed = map[string]map[string]bool{}
	current  = map[types.ResponseType]cache.Resources{}
	snapshot = cache.NewSnapshotCache(false, everyNode{}, nil)
)

func record(kind string, stream int64, typeURL, version string, names []string, problem *status.Status) {
	mutex.Lock()
	defer mutex.Unlock()
	if names == nil {
		names = []string{}
	}
	events = append(events, event{AtMs: time.Now().UnixMilli(), Kind: kind, Stream: stream, TypeURL: typeURL,
		Version: version, Names: names, Text: problem.GetMessage()})
}

func key(stream int64, nonce string) string { return fmt.Sprint(stream, " ", nonce) }

func sent(stream int64, typeURL, version, nonce string, names []string) {
	mutex.Lock()
	versions[key(stream, nonce)] = version
	mutex.Unlock()
	record("response", stream, typeURL, version, names, nil)
}

func sentDelta(stream int64, r *discovery.DeltaDiscoveryResponse) {
	mutex.Lock()
	defer mutex.Unlock()
	versions[key(stream, r.Nonce)] = r.SystemVersionInfo
	response := event{AtMs: time.Now().UnixMilli(), Kind: "response", Stream: stream, TypeURL: r.TypeUrl,
		Version: r.SystemVersionInfo, Names: []string{}, Removed: r.RemovedResources, Versions: map[string]string{}}
	for _, resource := range r.Resources {
		response.Names = append(response.Names, resource.Name)
		response.Versions[resource.Name] = resource.Version
	}
	events = append(events, response)
}

func subscribe(stream int64, r *discovery.DeltaDiscoveryRequest) []string {
	mutex.Lock()
	defer mutex.Unlock()
	names := subscribed[key(stream, r.TypeUrl)]
	if names == nil {
		names = map[string]bool{}
		subscribed[key(stream, r.TypeUrl)] = names
	}
	for _, name := range r.ResourceNamesSubscribe {
		names[name] = true
	}
	for _, name := range r.ResourceNamesUnsubscribe {
		delete(names, name)
	}
	delete(names, "*")
	return slices.Sorted(maps.Keys(names))
}

func received(stream int64, typeURL, nonce string, names []string, problem *status.Status) {
	mutex.Lock()
	version, known := versions[key(stream, nonce)]
	mutex.Unlock()
	kind := "ack"
	if problem != nil {
		kind = "nack"
	} else if !known {
		kind = "subscription"
	}
	record(kind, stream, typeURL, version, names, problem)
}

var callbacks = server.CallbackFuncs{
	StreamClosedFunc:      func(stream int64, _ *core.Node) { record("end", stream, "", "", nil, nil) },
	DeltaStreamClosedFunc: func(stream int64, _ *core.Node) { record("end", stream, "", "", nil, nil) },
	StreamRequestFunc: func(stream int64, r *discovery.DiscoveryRequest) error {
		received(stream, r.TypeUrl, r.ResponseNonce, r.ResourceNames, r.ErrorDetail)
		return nil
	},
	StreamResponseFunc: func(_ context.Context, stream int64, _ *discovery.DiscoveryRequest, r *discovery.DiscoveryResponse) {
		names := []string{}
		for _, resource := range r.Resources {
			if message, err := resource.UnmarshalNew(); err == nil {
				names = append(names, cache.GetResourceName(message))
			}
		}
		sent(stream, r.TypeUrl, r.VersionInfo, r.Nonce, names)
	},
	StreamDeltaRequestFunc: func(stream int64, r *discovery.DeltaDiscoveryRequest) error {
		received(stream, r.TypeUrl, r.ResponseNonce, subscribe(stream, r), r.ErrorDetail)
		return nil
	},
	StreamDeltaResponseFunc: func(stream int64, _ *discovery.DeltaDiscoveryRequest, r *discovery.DeltaDiscoveryResponse) {
		sentDelta(stream, r)
	},
}

func replaceType(typeURL, version string, bodies [][]byte) error {
	found, err := protoregistry.GlobalTypes.FindMessageByURL(typeURL)
	if err != nil {
		return err
	}
	resources := []types.Resource{}
	for _, body := range bodies {
		message := found.New().Interface()
		if err := proto.Unmarshal(body, message); err != nil {
			return err
		}
		resources = append(resources, message)
	}
	mutex.Lock()
	defer mutex.Unlock()
	current[cache.GetResponseType(typeURL)] = cache.NewResources(version, resources)
	next := &cache.Snapshot{}
	for index, each := range current {
		next.Resources[index] = each
	}
	return snapshot.SetSnapshot(context.Background(), "*", next)
}

func listen(address string) net.Listener {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		panic(err)
	}
	return listener
}

func main() {
	xds := server.NewServer(context.Background(), snapshot, callbacks)
	options := []grpc.ServerOption{}
	if len(os.Args) > 3 {
		minTime, err := time.ParseDuration(os.Args[3])
		if err != nil {
			panic(err)
		}
		options = append(options, grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: minTime}))
	}
	serve := func(listener net.Listener) *grpc.Server {
		running := grpc.NewServer(options...)
		discovery.RegisterAggregatedDiscoveryServiceServer(running, xds)
		go running.Serve(listener)
		return running
	}
	listener := listen(os.Args[1])
	address := listener.Addr().String()
	running := serve(listener)
	http.HandleFunc("POST /type", func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			TypeURL, Version string
			Resources        [][]byte
		}
		err := json.NewDecoder(r.Body).Decode(&body)
		if err == nil {
			err = replaceType(body.TypeURL, body.Version, body.Resources)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
		}
	})
	http.HandleFunc("POST /stop", func(http.ResponseWriter, *http.Request) { running.Stop() })
	http.HandleFunc("POST /start", func(http.ResponseWriter, *http.Request) { running = serve(listen(address)) })
	http.HandleFunc("GET /events", func(w http.ResponseWriter, _ *http.Request) {
		mutex.Lock()
		defer mutex.Unlock()
		json.NewEncoder(w).Encode(events)
	})
	control := listen(os.Args[2])
	fmt.Println("READY", listener.Addr().(*net.TCPAddr).Port, control.Addr().(*net.TCPAddr).Port)
	panic(http.Serve(control, nil))
}
