// A client of the gRPC xDS interop tests on gRPC-Go, with the flags of the test description:
//
//	program --server=xds:///svc --stats_port=8081 [--qps=1] [--num_channels=1] [--rpc=UnaryCall,EmptyCall]
//	        [--metadata=EmptyCall:key:value] [--rpc_timeout_sec=20] [--secure_mode=false]
//
// It serves its statistics, health, reflection, CSDS and channelz at the stats port of 127.0.0.1, implements the LB policy
// of the case custom_lb, and ends when its standard input ends. With --serve_as it is an xDS-enabled server (gRFC A36) of
// this name with xDS credentials at the port of 127.0.0.1, and prints SERVING when it has its config:
//
//	program --serve_as=a1 --port=8080
//
// With --twin it is the client of a twin: see twin.go.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/admin"
	"google.golang.org/grpc/balancer"
	"google.golang.org/grpc/balancer/roundrobin"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"
	xdscredentials "google.golang.org/grpc/credentials/xds"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	pb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/serviceconfig"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/xds"
	"google.golang.org/protobuf/proto"
)

type rpcType = pb.ClientConfigureRequest_RpcType

var methodNames = map[rpcType]string{
	pb.ClientConfigureRequest_EMPTY_CALL: "EmptyCall",
	pb.ClientConfigureRequest_UNARY_CALL: "UnaryCall",
}

// configuration is what Configure replaces while the program runs.
type configuration struct {
	types    []rpcType
	metadata map[rpcType][]string
	timeout  time.Duration
}

// block counts the RPCs that start after a request of GetClientStats.
type block struct {
	requested, started, ended int32
	response                  *pb.LoadBalancerStatsResponse
	complete                  chan struct{}
}

type testClient struct {
	pb.UnimplementedLoadBalancerStatsServiceServer
	pb.UnimplementedXdsUpdateClientConfigureServiceServer

	defaultTimeout time.Duration

	mutex   sync.Mutex
	config  configuration
	blocks  map[*block]struct{}
	methods map[string]*pb.LoadBalancerAccumulatedStatsResponse_MethodStats
}

func main() {
	target := flag.String("server", "xds:///svc", "the target of the channels")
	statsPort := flag.Int("stats_port", 8081, "the port of the statistics")
	qps := flag.Int("qps", 1, "RPCs of each type per channel and second")
	channels := flag.Int("num_channels", 1, "the number of channels")
	types := flag.String("rpc", "UnaryCall", "types of RPCs, separated by commas")
	entries := flag.String("metadata", "", "METHOD:KEY:VALUE, separated by commas")
	timeout := flag.Int("rpc_timeout_sec", 20, "the timeout of each RPC")
	isSecure := flag.Bool("secure_mode", false, "xDS credentials, with plaintext as their fallback")
	serveAs := flag.String("serve_as", "", "the name of the server that the program is instead of a client")
	port := flag.Int("port", 8080, "the port of the server")
	isTwin := flag.Bool("twin", false, "the program is the client of a twin")
	flag.Parse()
	if *isTwin {
		runTwin()
		return
	}
	if *serveAs != "" {
		serve(*serveAs, *port)
		return
	}

	balancer.Register(behaviorBuilder{})
	client := &testClient{
		defaultTimeout: time.Duration(*timeout) * time.Second,
		blocks:         map[*block]struct{}{},
		methods:        map[string]*pb.LoadBalancerAccumulatedStatsResponse_MethodStats{},
	}
	client.config = parseConfiguration(*types, *entries, client.defaultTimeout)
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", *statsPort))
	if err != nil {
		log.Fatal(err)
	}
	server := grpc.NewServer()
	pb.RegisterLoadBalancerStatsServiceServer(server, client)
	pb.RegisterXdsUpdateClientConfigureServiceServer(server, client)
	grpc_health_v1.RegisterHealthServer(server, health.NewServer())
	reflection.Register(server)
	if _, err := admin.Register(server); err != nil {
		log.Fatal(err)
	}
	go server.Serve(listener)
	security := insecure.NewCredentials()
	if *isSecure {
		security, err = xdscredentials.NewClientCredentials(xdscredentials.ClientOptions{FallbackCreds: security})
		if err != nil {
			log.Fatal(err)
		}
	}
	for range *channels {
		channel, err := grpc.NewClient(*target, grpc.WithTransportCredentials(security))
		if err != nil {
			log.Fatal(err)
		}
		go client.run(pb.NewTestServiceClient(channel), *qps)
	}
	io.Copy(io.Discard, os.Stdin)
}

// testServer answers with its name.
type testServer struct {
	pb.UnimplementedTestServiceServer
	name string
}

func serve(name string, port int) {
	security, err := xdscredentials.NewServerCredentials(xdscredentials.ServerOptions{FallbackCreds: insecure.NewCredentials()})
	if err != nil {
		log.Fatal(err)
	}
	server, err := xds.NewGRPCServer(grpc.Creds(security), xds.ServingModeCallback(func(_ net.Addr, args xds.ServingModeChangeArgs) {
		if args.Mode == connectivity.ServingModeServing {
			fmt.Println("SERVING")
		} else {
			log.Print(args.Err)
		}
	}))
	if err != nil {
		log.Fatal(err)
	}
	pb.RegisterTestServiceServer(server, &testServer{name: name})
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		log.Fatal(err)
	}
	go server.Serve(listener)
	io.Copy(io.Discard, os.Stdin)
}

func (s *testServer) EmptyCall(ctx context.Context, _ *pb.Empty) (*pb.Empty, error) {
	return &pb.Empty{}, grpc.SendHeader(ctx, metadata.Pairs("hostname", s.name))
}

func (s *testServer) UnaryCall(ctx context.Context, _ *pb.SimpleRequest) (*pb.SimpleResponse, error) {
	return &pb.SimpleResponse{Hostname: s.name, ServerId: s.name}, grpc.SendHeader(ctx, metadata.Pairs("hostname", s.name))
}

func parseConfiguration(types, entries string, timeout time.Duration) configuration {
	config := configuration{metadata: map[rpcType][]string{}, timeout: timeout}
	for _, name := range strings.Split(types, ",") {
		config.types = append(config.types, parseType(name))
	}
	for _, entry := range strings.Split(entries, ",") {
		if entry == "" {
			continue
		}
		parts := strings.SplitN(entry, ":", 3)
		if len(parts) != 3 {
			log.Fatalf("--metadata: expected METHOD:KEY:VALUE, got %q", entry)
		}
		kind := parseType(parts[0])
		config.metadata[kind] = append(config.metadata[kind], parts[1], parts[2])
	}
	return config
}

func parseType(name string) rpcType {
	for kind, known := range methodNames {
		if known == name {
			return kind
		}
	}
	log.Fatalf("expected EmptyCall or UnaryCall, got %q", name)
	panic("unreachable")
}

// run starts RPCs at the rate. A tick that is late starts those that are due.
func (c *testClient) run(stub pb.TestServiceClient, qps int) {
	begin := time.Now()
	sent := 0
	for range time.Tick(10 * time.Millisecond) {
		for due := int(time.Since(begin).Seconds() * float64(qps)); sent < due; sent++ {
			c.mutex.Lock()
			config := c.config
			c.mutex.Unlock()
			for _, kind := range config.types {
				go c.call(stub, kind, config)
			}
		}
	}
}

func (c *testClient) call(stub pb.TestServiceClient, kind rpcType, config configuration) {
	blocks := c.begin(kind)
	ctx := metadata.AppendToOutgoingContext(context.Background(), config.metadata[kind]...)
	ctx, cancel := context.WithTimeout(ctx, config.timeout)
	defer cancel()
	var headers metadata.MD
	var err error
	options := []grpc.CallOption{grpc.Header(&headers), grpc.WaitForReady(true)}
	if kind == pb.ClientConfigureRequest_EMPTY_CALL {
		_, err = stub.EmptyCall(ctx, &pb.Empty{}, options...)
	} else {
		_, err = stub.UnaryCall(ctx, &pb.SimpleRequest{FillServerId: true}, options...)
	}
	server := ""
	if names := headers.Get("hostname"); err == nil && len(names) > 0 {
		server = names[0]
	}
	c.end(kind, status.Code(err), server, blocks)
}

// begin counts an RPC that starts, and returns the blocks to which it belongs.
func (c *testClient) begin(kind rpcType) []*block {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	stats := c.methods[kind.String()]
	if stats == nil {
		stats = &pb.LoadBalancerAccumulatedStatsResponse_MethodStats{Result: map[int32]int32{}}
		c.methods[kind.String()] = stats
	}
	stats.RpcsStarted++
	var blocks []*block
	for each := range c.blocks {
		if each.started < each.requested {
			each.started++
			blocks = append(blocks, each)
		}
	}
	return blocks
}

func (c *testClient) end(kind rpcType, code codes.Code, server string, blocks []*block) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.methods[kind.String()].Result[int32(code)]++
	for _, each := range blocks {
		each.add(methodNames[kind], server)
		if _, isOpen := c.blocks[each]; isOpen && each.ended == each.requested {
			delete(c.blocks, each)
			close(each.complete)
		}
	}
}

// add counts an RPC that ended. One that no server has signed counts as failed.
func (b *block) add(method, server string) {
	b.ended++
	if server == "" {
		b.response.NumFailures++
		return
	}
	b.response.RpcsByPeer[server]++
	byMethod := b.response.RpcsByMethod[method]
	if byMethod == nil {
		byMethod = &pb.LoadBalancerStatsResponse_RpcsByPeer{RpcsByPeer: map[string]int32{}}
		b.response.RpcsByMethod[method] = byMethod
	}
	byMethod.RpcsByPeer[server]++
}

func (c *testClient) GetClientStats(ctx context.Context, request *pb.LoadBalancerStatsRequest) (*pb.LoadBalancerStatsResponse, error) {
	counted := &block{requested: request.NumRpcs, complete: make(chan struct{}), response: &pb.LoadBalancerStatsResponse{
		RpcsByPeer:   map[string]int32{},
		RpcsByMethod: map[string]*pb.LoadBalancerStatsResponse_RpcsByPeer{},
	}}
	c.mutex.Lock()
	c.blocks[counted] = struct{}{}
	c.mutex.Unlock()
	select {
	case <-counted.complete:
	case <-ctx.Done():
	case <-time.After(time.Duration(request.TimeoutSec) * time.Second):
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	delete(c.blocks, counted)
	counted.response.NumFailures += counted.requested - counted.ended
	// RPCs that end from now on must not change the response while it is encoded.
	return proto.Clone(counted.response).(*pb.LoadBalancerStatsResponse), nil
}

func (c *testClient) GetClientAccumulatedStats(context.Context, *pb.LoadBalancerAccumulatedStatsRequest) (*pb.LoadBalancerAccumulatedStatsResponse, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	response := &pb.LoadBalancerAccumulatedStatsResponse{
		NumRpcsStartedByMethod:   map[string]int32{},
		NumRpcsSucceededByMethod: map[string]int32{},
		NumRpcsFailedByMethod:    map[string]int32{},
		StatsPerMethod:           map[string]*pb.LoadBalancerAccumulatedStatsResponse_MethodStats{},
	}
	for method, stats := range c.methods {
		copied := &pb.LoadBalancerAccumulatedStatsResponse_MethodStats{RpcsStarted: stats.RpcsStarted, Result: map[int32]int32{}}
		for code, count := range stats.Result {
			copied.Result[code] = count
			if codes.Code(code) == codes.OK {
				response.NumRpcsSucceededByMethod[method] += count
			} else {
				response.NumRpcsFailedByMethod[method] += count
			}
		}
		response.NumRpcsStartedByMethod[method] = stats.RpcsStarted
		response.StatsPerMethod[method] = copied
	}
	return response, nil
}

func (c *testClient) Configure(_ context.Context, request *pb.ClientConfigureRequest) (*pb.ClientConfigureResponse, error) {
	config := configuration{types: request.Types, metadata: map[rpcType][]string{}, timeout: c.defaultTimeout}
	if request.TimeoutSec > 0 {
		config.timeout = time.Duration(request.TimeoutSec) * time.Second
	}
	for _, entry := range request.Metadata {
		config.metadata[entry.Type] = append(config.metadata[entry.Type], entry.Key, entry.Value)
	}
	c.mutex.Lock()
	c.config = config
	c.mutex.Unlock()
	return &pb.ClientConfigureResponse{}, nil
}

// behaviorBuilder builds the policy of the case custom_lb: round robin with rpc-behavior added to each RPC.
type behaviorBuilder struct{}

type behaviorConfig struct {
	serviceconfig.LoadBalancingConfig `json:"-"`
	RPCBehavior                       string `json:"rpcBehavior"`
}

func (behaviorBuilder) Name() string { return "test.RpcBehaviorLoadBalancer" }

func (behaviorBuilder) ParseConfig(text json.RawMessage) (serviceconfig.LoadBalancingConfig, error) {
	config := &behaviorConfig{}
	if err := json.Unmarshal(text, config); err != nil {
		return nil, err
	}
	return config, nil
}

func (behaviorBuilder) Build(channel balancer.ClientConn, options balancer.BuildOptions) balancer.Balancer {
	built := &behaviorBalancer{ClientConn: channel}
	built.child = balancer.Get(roundrobin.Name).Build(built, options)
	return built
}

// behaviorBalancer is the balancer of the channel, and the channel of its child.
type behaviorBalancer struct {
	balancer.ClientConn
	child    balancer.Balancer
	behavior string
}

func (b *behaviorBalancer) UpdateClientConnState(state balancer.ClientConnState) error {
	if config, ok := state.BalancerConfig.(*behaviorConfig); ok {
		b.behavior = config.RPCBehavior
	}
	state.BalancerConfig = nil
	return b.child.UpdateClientConnState(state)
}

func (b *behaviorBalancer) ResolverError(err error) { b.child.ResolverError(err) }

func (b *behaviorBalancer) UpdateSubConnState(subConn balancer.SubConn, state balancer.SubConnState) {
	b.child.UpdateSubConnState(subConn, state)
}

// ExitIdle is a method of every balancer only in later versions of gRPC-Go.
func (b *behaviorBalancer) ExitIdle() {
	if child, ok := b.child.(interface{ ExitIdle() }); ok {
		child.ExitIdle()
	}
}

func (b *behaviorBalancer) Close() { b.child.Close() }

func (b *behaviorBalancer) UpdateState(state balancer.State) {
	if state.ConnectivityState == connectivity.Ready {
		state.Picker = behaviorPicker{state.Picker, b.behavior}
	}
	b.ClientConn.UpdateState(state)
}

type behaviorPicker struct {
	child    balancer.Picker
	behavior string
}

func (p behaviorPicker) Pick(info balancer.PickInfo) (balancer.PickResult, error) {
	result, err := p.child.Pick(info)
	result.Metadata = metadata.Join(result.Metadata, metadata.Pairs("rpc-behavior", p.behavior))
	return result, err
}
