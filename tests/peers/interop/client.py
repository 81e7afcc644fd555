"""A client of the gRPC xDS interop tests on C-core. Usage: client.py DESCRIPTORS FLAG...

DESCRIPTORS is a FileDescriptorSet, compressed by gzip, that contains grpc.testing. The flags are those of the test
description. The client serves its statistics, CSDS and channelz at the stats port of 127.0.0.1, and ends when its standard
input ends. With --serve_as=NAME --port=PORT it is an xDS-enabled server (gRFC A36) with xDS credentials at the port of
127.0.0.1, and prints SERVING when it was started: C-core does not state whether it has its config. With --twin it is the client
of a twin: see twin.py.
"""

import argparse
import collections
import gzip
import os
import sys
import threading
import time
from concurrent import futures

import grpc
import grpc.experimental
import grpc_admin
import twin
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory


def read_messages(path):
    """Returns a function from the name of a message of grpc.testing to its class."""
    with gzip.open(path) as file:
        descriptors = descriptor_pb2.FileDescriptorSet.FromString(file.read())
    pool = descriptor_pool.DescriptorPool()
    for file in descriptors.file:
        if file.package == "grpc.testing" and not file.service:
            pool.Add(file)
    return lambda name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"grpc.testing.{name}"))


METHODS = {"EMPTY_CALL": "EmptyCall", "UNARY_CALL": "UnaryCall"}
TYPES = {method: kind for kind, method in METHODS.items()}
Configuration = collections.namedtuple("Configuration", "types metadata timeout")


def parse_metadata(text):
    metadata = collections.defaultdict(list)
    for entry in filter(None, text.split(",")):
        method, key, value = entry.split(":", 2)
        metadata[TYPES[method]].append((key, value))
    return metadata


class Block:
    """Counts the RPCs that start after a request of GetClientStats."""

    def __init__(self, requested, response):
        self.requested = requested
        self.response = response
        self.started = 0
        self.ended = 0
        self.complete = threading.Event()

    def add(self, method, server):
        self.ended += 1
        if server:
            self.response.rpcs_by_peer[server] += 1
            self.response.rpcs_by_method[method].rpcs_by_peer[server] += 1
        else:
            self.response.num_failures += 1
        if self.ended == self.requested:
            self.complete.set()


class TestClient:
    def __init__(self, message, flags):
        self.message = message
        self.timeout = flags.rpc_timeout_sec
        types = [TYPES[method] for method in flags.rpc.split(",")]
        self.configuration = Configuration(types, parse_metadata(flags.metadata), self.timeout)
        self.lock = threading.Lock()
        self.blocks = []
        self.started = collections.Counter()
        self.ended = collections.defaultdict(collections.Counter)

    def get_client_stats(self, request, _context):
        block = Block(request.num_rpcs, self.message("LoadBalancerStatsResponse")())
        with self.lock:
            self.blocks.append(block)
        block.complete.wait(request.timeout_sec)
        with self.lock:
            self.blocks.remove(block)
            block.response.num_failures += block.requested - block.ended
            response = self.message("LoadBalancerStatsResponse")()
            response.CopyFrom(block.response)
        return response

    def get_accumulated_stats(self, _request, _context):
        response = self.message("LoadBalancerAccumulatedStatsResponse")()
        with self.lock:
            for kind, started in self.started.items():
                response.num_rpcs_started_by_method[kind] = started
                response.stats_per_method[kind].rpcs_started = started
                for code, count in self.ended[kind].items():
                    response.stats_per_method[kind].result[code] = count
                    sums = response.num_rpcs_failed_by_method if code else response.num_rpcs_succeeded_by_method
                    sums[kind] += count
        return response

    def configure(self, request, _context):
        kinds = type(request).RpcType
        metadata = collections.defaultdict(list)
        for entry in request.metadata:
            metadata[kinds.Name(entry.type)].append((entry.key, entry.value))
        types = [kinds.Name(each) for each in request.types]
        self.configuration = Configuration(types, metadata, request.timeout_sec or self.timeout)
        return self.message("ClientConfigureResponse")()

    def start_rpc(self, stubs, kind, configuration):
        with self.lock:
            self.started[kind] += 1
            blocks = [block for block in self.blocks if block.started < block.requested]
            for block in blocks:
                block.started += 1
        metadata = tuple(configuration.metadata.get(kind, ()))
        call = stubs[kind].future(b"", timeout=configuration.timeout, metadata=metadata, wait_for_ready=True)
        call.add_done_callback(lambda ended: self.end_rpc(ended, kind, blocks))

    def end_rpc(self, call, kind, blocks):
        """Called by a thread of gRPC."""
        code = call.code().value[0]
        headers = dict(call.initial_metadata() or ()) if code == 0 else {}
        with self.lock:
            self.ended[kind][code] += 1
            for block in blocks:
                block.add(METHODS[kind], headers.get("hostname", ""))

    def handlers(self):
        stats = {
            "GetClientStats": (self.get_client_stats, "LoadBalancerStatsRequest"),
            "GetClientAccumulatedStats": (self.get_accumulated_stats, "LoadBalancerAccumulatedStatsRequest"),
        }
        configure = {"Configure": (self.configure, "ClientConfigureRequest")}
        services = {"LoadBalancerStatsService": stats, "XdsUpdateClientConfigureService": configure}
        return tuple(handlers_of(name, self.message, methods) for name, methods in services.items())


def handlers_of(service, message, methods):
    return grpc.method_handlers_generic_handler(
        f"grpc.testing.{service}",
        {
            name: grpc.unary_unary_rpc_method_handler(
                answer, message(request).FromString, lambda response: response.SerializeToString()
            )
            for name, (answer, request) in methods.items()
        },
    )


def serve(message, name, port):
    def answer(build):
        def send(_request, context):
            context.send_initial_metadata((("hostname", name),))
            return build()

        return send

    methods = {
        "EmptyCall": (answer(message("Empty")), "Empty"),
        "UnaryCall": (answer(lambda: message("SimpleResponse")(hostname=name, server_id=name)), "SimpleRequest"),
    }
    server = grpc.server(futures.ThreadPoolExecutor(32), xds=True)
    server.add_generic_rpc_handlers((handlers_of("TestService", message, methods),))
    server.add_secure_port(f"127.0.0.1:{port}", grpc.xds_server_credentials(grpc.insecure_server_credentials()))
    server.start()
    print("SERVING", flush=True)
    server.wait_for_termination()


def end_with_parent():
    sys.stdin.buffer.read()
    os._exit(0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("descriptors")
    parser.add_argument("--server", default="xds:///svc")
    parser.add_argument("--stats_port", type=int, default=8081)
    parser.add_argument("--qps", type=int, default=1)
    parser.add_argument("--rpc", default="UnaryCall")
    parser.add_argument("--metadata", default="")
    parser.add_argument("--rpc_timeout_sec", type=int, default=20)
    parser.add_argument("--secure_mode", default="false")
    parser.add_argument("--serve_as", default="")
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--twin", action="store_true")
    flags = parser.parse_args()
    if flags.twin:
        twin.run()
    threading.Thread(target=end_with_parent, daemon=True).start()

    message = read_messages(flags.descriptors)
    if flags.serve_as:
        serve(message, flags.serve_as, flags.port)

    client = TestClient(message, flags)
    server = grpc.server(futures.ThreadPoolExecutor(32))
    grpc_admin.add_admin_servicers(server)
    server.add_generic_rpc_handlers(client.handlers())
    server.add_insecure_port(f"127.0.0.1:{flags.stats_port}")
    server.start()

    credentials = grpc.experimental.insecure_channel_credentials()
    if flags.secure_mode == "true":
        credentials = grpc.xds_channel_credentials(credentials)
    channel = grpc.secure_channel(flags.server, credentials)
    stubs = {
        kind: channel.unary_unary(f"/grpc.testing.TestService/{method}", lambda data: data, lambda data: data)
        for kind, method in METHODS.items()
    }
    begin = time.monotonic()
    sent = 0
    while True:
        # Several RPCs are due if the thread was late.
        due = int((time.monotonic() - begin) * flags.qps)
        while sent < due:
            sent += 1
            configuration = client.configuration
            for kind in configuration.types:
                client.start_rpc(stubs, kind, configuration)
        time.sleep(0.01)


main()
