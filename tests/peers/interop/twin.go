package main

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"log"
	"os"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// twinRpcs is the line that the client of a twin reads from its standard input.
type twinRpcs struct {
	Target     string      `json:"target"`
	Authority  string      `json:"authority"`
	Path       string      `json:"path"`
	Metadata   [][2]string `json:"metadata"`
	Times      int         `json:"times"`
	DeadlineMs int64       `json:"deadlineMs"`
}

// twinResult is the line that it writes for each RPC. Backend is the port in the header of the response.
type twinResult struct {
	Code    int    `json:"code"`
	Details string `json:"details"`
	Backend int    `json:"backend,omitempty"`
}

// noBytes encodes every message as no bytes.
type noBytes struct{}

func (noBytes) Marshal(any) ([]byte, error)  { return nil, nil }
func (noBytes) Unmarshal([]byte, any) error { return nil }
func (noBytes) Name() string                { return "proto" }

// runTwin sends RPCs one after the other, and ends when its standard input does.
func runTwin() {
	input := bufio.NewReader(os.Stdin)
	line, err := input.ReadBytes('\n')
	if err != nil {
		log.Fatal(err)
	}
	var rpcs twinRpcs
	if err := json.Unmarshal(line, &rpcs); err != nil {
		log.Fatal(err)
	}
	go func() {
		io.Copy(io.Discard, input)
		os.Exit(0)
	}()
	security := grpc.WithTransportCredentials(insecure.NewCredentials())
	channel, err := grpc.NewClient(rpcs.Target, security, grpc.WithAuthority(rpcs.Authority))
	if err != nil {
		log.Fatal(err)
	}
	output := json.NewEncoder(os.Stdout)
	for range rpcs.Times {
		output.Encode(rpcs.send(channel))
	}
	select {}
}

func (r *twinRpcs) send(channel *grpc.ClientConn) twinResult {
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(r.DeadlineMs)*time.Millisecond)
	defer cancel()
	for _, field := range r.Metadata {
		value := field[1]
		if strings.HasSuffix(field[0], "-bin") {
			bytes, err := base64.StdEncoding.DecodeString(value)
			if err != nil {
				log.Fatalf("%s: %v", field[0], err)
			}
			value = string(bytes)
		}
		ctx = metadata.AppendToOutgoingContext(ctx, field[0], value)
	}
	var headers metadata.MD
	err := channel.Invoke(ctx, r.Path, nil, nil, grpc.ForceCodec(noBytes{}), grpc.Header(&headers))
	ended := status.Convert(err)
	result := twinResult{Code: int(ended.Code()), Details: ended.Message()}
	if ports := headers.Get("xdscope-backend"); len(ports) > 0 {
		result.Backend, _ = strconv.Atoi(ports[0])
	}
	return result
}
