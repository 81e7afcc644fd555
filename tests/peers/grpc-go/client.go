// A gRPC client on grpc-go. Usage: client ADMIN_ADDRESS TARGET...
//
// It serves CSDS and channelz on ADMIN_ADDRESS and calls /peers.Echo/Ping of each target again and again. Output lines:
// "ADMIN PORT" and "CALL TARGET ok|error TEXT". Input lines: "open TARGET", "close TARGET", and "burst TARGET COUNT": COUNT
// calls of an own channel, whose results are one line "BURST TARGET ANSWER=COUNT...". "serve ADDRESS" starts an xDS-enabled
// server, which prints "MODE serving" or "MODE not-serving" when its mode changes.
package main

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/admin"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/xds"
)

// bytesCodec sends byte slices as they are.
type bytesCodec struct{}

func (bytesCodec) Marshal(v any) ([]byte, error) { return *v.(*[]byte), nil }
func (bytesCodec) Unmarshal(data []byte, v any) error {
	*v.(*[]byte) = append([]byte(nil), data...)
	return nil
}
func (bytesCodec) Name() string { return "bytes" }

var (
	mutex    sync.Mutex
	channels = map[string]context.CancelFunc{}
)

func main() {
	listener, err := net.Listen("tcp", os.Args[1])
	if err != nil {
		panic(err)
	}
	server := grpc.NewServer()
	if _, err := admin.Register(server); err != nil {
		panic(err)
	}
	go server.Serve(listener)
	fmt.Println("ADMIN", listener.Addr().(*net.TCPAddr).Port)
	for _, target := range os.Args[2:] {
		open(target)
	}
	commands := bufio.NewScanner(os.Stdin)
	for commands.Scan() {
		command, target, _ := strings.Cut(commands.Text(), " ")
		switch command {
		case "open":
			open(target)
		case "serve":
			go serve(target)
		case "burst":
			words := strings.Fields(target)
			count, _ := strconv.Atoi(words[1])
			go burst(words[0], count)
		case "close":
			mutex.Lock()
			channels[target]()
			mutex.Unlock()
		}
	}
}

func serve(address string) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		panic(err)
	}
	changed := func(_ net.Addr, args xds.ServingModeChangeArgs) {
		fmt.Println("MODE", strings.ToLower(strings.ReplaceAll(args.Mode.String(), "_", "-")))
	}
	server, err := xds.NewGRPCServer(xds.ServingModeCallback(changed))
	if err != nil {
		panic(err)
	}
	if err := server.Serve(listener); err != nil {
		panic(err)
	}
}

var bursting = map[string]*grpc.ClientConn{}

func burst(target string, count int) {
	mutex.Lock()
	channel := bursting[target]
	if channel == nil {
		var err error
		if channel, err = grpc.NewClient(target, grpc.WithTransportCredentials(insecure.NewCredentials())); err != nil {
			panic(err)
		}
		bursting[target] = channel
	}
	mutex.Unlock()
	answers := map[string]int{}
	for i := 0; i < count; i++ {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		request, response := []byte("ping"), []byte(nil)
		answer := "error"
		if err := channel.Invoke(ctx, "/peers.Echo/Ping", &request, &response, grpc.ForceCodec(bytesCodec{})); err == nil {
			answer = string(response)
		} else if i == 0 {
			fmt.Println("FAILED", target, strings.ReplaceAll(err.Error(), "\n", " "))
		}
		isLate := ctx.Err() == context.DeadlineExceeded
		cancel()
		answers[answer]++
		if isLate {
			// The channel lets calls wait: each of the rest would take as long.
			answers[answer] += count - i - 1
			break
		}
	}
	line := "BURST " + target
	for answer, number := range answers {
		line += fmt.Sprintf(" %s=%d", answer, number)
	}
	fmt.Println(line)
}

func open(target string) {
	ctx, cancel := context.WithCancel(context.Background())
	mutex.Lock()
	channels[target] = cancel
	mutex.Unlock()
	channel, err := grpc.NewClient(target, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		panic(err)
	}
	go func() {
		defer channel.Close()
		for ctx.Err() == nil {
			call(ctx, channel, target)
			time.Sleep(200 * time.Millisecond)
		}
	}()
}

func call(parent context.Context, channel *grpc.ClientConn, target string) {
	ctx, cancel := context.WithTimeout(parent, time.Second)
	defer cancel()
	request, response := []byte("ping"), []byte(nil)
	if err := channel.Invoke(ctx, "/peers.Echo/Ping", &request, &response, grpc.ForceCodec(bytesCodec{})); err != nil {
		fmt.Println("CALL", target, "error", strings.ReplaceAll(err.Error(), "\n", " "))
	} else {
		fmt.Println("CALL", target, "ok", string(response))
	}
}
