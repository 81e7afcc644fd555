"""A gRPC C-core client of the lab, beside the grpc-js ones: a second, independent implementation of xDS.

Calls xds:/// targets all the time and serves CSDS on the port that it is given. Debian's grpcio has no CSDS service
in Python, but the core can dump one bare ClientConfig; wrapped as field 1 it is a ClientStatusResponse.
Ends when standard input ends: its parent is gone, in whatever way.
"""

import json
import os
import sys
import threading
import time
from concurrent import futures

import grpc
from grpc._cython import cygrpc

SERVICE = "/envoy.service.status.v3.ClientStatusDiscoveryService/"
# As in call-deadline.ts: no call may fail because the machine is busy.
DEADLINE_SECONDS = 30
TURNS = 30
# Calls to what does not resolve wait for their deadline: no more than these at a time.
MAX_IN_FLIGHT = 4


def varint(number):
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def client_status_response():
    config = cygrpc.dump_xds_configs()
    # Field 1, length-delimited. No bytes at all: there is no xDS client yet.
    return b"\x0a" + varint(len(config)) + config if config else b""


class ClientStatusDiscovery(grpc.GenericRpcHandler):
    def service(self, details):
        if details.method == SERVICE + "FetchClientStatus":
            return grpc.unary_unary_rpc_method_handler(self.fetch)
        if details.method == SERVICE + "StreamClientStatus":
            return grpc.stream_stream_rpc_method_handler(self.stream)
        return None

    def fetch(self, request, context):
        return client_status_response()

    def stream(self, requests, context):
        for _ in requests:
            yield client_status_response()


def keep_calling(channel, call):
    unary = channel.unary_unary(call["method"])
    metadata = tuple(call["headers"].items())
    in_flight = threading.Semaphore(MAX_IN_FLIGHT)
    pause = call["everyMs"] / 1000
    delay = 0
    while True:
        begun = time.monotonic()
        time.sleep(pause)
        # The longest delay of this thread, which fades within some seconds.
        delay = max(time.monotonic() - begun - pause, delay * 0.97)
        if in_flight.acquire(blocking=False):
            timeout = DEADLINE_SECONDS + TURNS * delay
            answer = unary.future(b"", timeout=timeout, metadata=metadata)
            # Whether the mesh let the call through is reported by its load reports and by CSDS.
            answer.add_done_callback(lambda _: in_flight.release())


def main():
    program = json.loads(sys.argv[1])
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=4), options=[("grpc.so_reuseport", 0)])
    server.add_generic_rpc_handlers((ClientStatusDiscovery(),))
    address = "127.0.0.1:%d" % program["adminPort"]
    if server.add_insecure_port(address) == 0:
        sys.exit("OSError: expected %s to be free" % address)
    server.start()
    channels = {}
    for call in program["calls"]:
        listener = call["listener"]
        if listener not in channels:
            channels[listener] = grpc.insecure_channel("xds:///" + listener)
        threading.Thread(target=keep_calling, args=(channels[listener], call), daemon=True).start()
    print("serving", flush=True)
    sys.stdin.buffer.read()
    os._exit(0)


main()
