"""A gRPC peer of C-core that compresses what it says with gzip; ADS messages pass through it as bytes.

server HEX: answers every request with these bytes, and prints its port.
client TARGET HEX: sends these bytes, prints the answer as hex, and stays until its standard input ends.
"""

import sys
import threading
from concurrent import futures

import grpc

SERVICE = "envoy.service.discovery.v3.AggregatedDiscoveryService"
METHOD = "StreamAggregatedResources"


def serve(answer):
    def stream(requests, context):
        for _ in requests:
            yield answer

    handler = grpc.method_handlers_generic_handler(
        SERVICE, {METHOD: grpc.stream_stream_rpc_method_handler(stream)}
    )
    server = grpc.server(futures.ThreadPoolExecutor(4), compression=grpc.Compression.Gzip)
    server.add_generic_rpc_handlers((handler,))
    print(server.add_insecure_port("127.0.0.1:0"), flush=True)
    server.start()
    sys.stdin.read()
    server.stop(None)


def call(target, message):
    is_over = threading.Event()

    def requests():
        yield message
        is_over.wait()

    with grpc.insecure_channel(target, compression=grpc.Compression.Gzip) as channel:
        for answer in channel.stream_stream(f"/{SERVICE}/{METHOD}")(requests()):
            print(answer.hex(), flush=True)
            break
        sys.stdin.read()
        is_over.set()


if sys.argv[1] == "server":
    serve(bytes.fromhex(sys.argv[2]))
else:
    call(sys.argv[2], bytes.fromhex(sys.argv[3]))
