"""A gRPC C-core client of the lab, beside the grpc-js ones: a second, independent implementation of xDS.

Calls xds:/// targets all the time, and serves CSDS and the services of a client of the gRPC xDS interop tests on the port
that it is given. Debian's grpcio has no CSDS service in Python, but the core can dump one bare ClientConfig; wrapped as
field 1 it is a ClientStatusResponse. Ends when standard input ends, because its parent has ended then.
"""

import json
import os
import sys
import threading
import time
from concurrent import futures

import grpc
from grpc._cython import cygrpc

import test_client

SERVICE = "envoy.service.status.v3.ClientStatusDiscoveryService"
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


def fetch(request, context):
    return client_status_response()


def stream(requests, context):
    for _ in requests:
        yield client_status_response()


def keep_calling(channel, call, statistics):
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
            count = statistics.start(call["method"][1:])
            answer = unary.future(b"", timeout=timeout, metadata=metadata)
            answer.add_done_callback(count)
            answer.add_done_callback(lambda _: in_flight.release())


def main():
    program = json.loads(sys.argv[1])
    # A thread is busy while a block of RPCs is counted.
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=8), options=[("grpc.so_reuseport", 0)])
    csds = {
        "FetchClientStatus": grpc.unary_unary_rpc_method_handler(fetch),
        "StreamClientStatus": grpc.stream_stream_rpc_method_handler(stream),
    }
    statistics = test_client.RpcStatistics()
    channels = {}
    for call in program["calls"]:
        listener = call["listener"]
        if listener not in channels:
            channels[listener] = grpc.insecure_channel("xds:///" + listener)
        channel = channels[listener]
        threading.Thread(target=keep_calling, args=(channel, call, statistics), daemon=True).start()
    handlers = [grpc.method_handlers_generic_handler(SERVICE, csds)]
    if channels:
        # Configured RPCs go to the first target.
        calls = test_client.TestCalls(next(iter(channels.values())), statistics)
        handlers += test_client.services(statistics, calls)
    server.add_generic_rpc_handlers(handlers)
    address = "127.0.0.1:%d" % program["adminPort"]
    if server.add_insecure_port(address) == 0:
        sys.exit("OSError: expected %s to be free" % address)
    server.start()
    print("serving", flush=True)
    sys.stdin.buffer.read()
    os._exit(0)


main()
