"""A gRPC client on C-core. Usage: client.py ADMIN_ADDRESS TARGET...

It serves CSDS and channelz on ADMIN_ADDRESS and calls /peers.Echo/Ping of each target again and again. Output lines:
"ADMIN PORT" and "CALL TARGET ok|error TEXT". Input lines: "open TARGET", "close TARGET", and "burst TARGET COUNT": COUNT
calls of an own channel, whose results are one line "BURST TARGET ANSWER=COUNT...". "serve ADDRESS" starts an xDS-enabled
server.
"""

import os
import sys
import threading
import time
from concurrent import futures

import grpc
import grpc_admin


def write_line(*words):
    """One write per line: print() from several threads mixes their lines."""
    sys.stdout.write(" ".join(str(word).replace("\n", " ") for word in words) + "\n")
    sys.stdout.flush()


def unchanged(data):
    return data


channels = {}


def call_again_and_again(target):
    method = channels[target].unary_unary("/peers.Echo/Ping", unchanged, unchanged)
    while target in channels:
        try:
            write_line("CALL", target, "ok", method(b"ping", timeout=1).decode())
        except grpc.RpcError as error:
            write_line("CALL", target, "error", error.code().name, error.details())
        except ValueError:
            return
        time.sleep(0.2)


def open_channel(target):
    channels[target] = grpc.insecure_channel(target)
    threading.Thread(target=call_again_and_again, args=[target], daemon=True).start()


bursting = {}


def burst(target, count):
    if target not in bursting:
        bursting[target] = grpc.insecure_channel(target)
    method = bursting[target].unary_unary("/peers.Echo/Ping", unchanged, unchanged)
    answers = {}
    for number in range(count):
        try:
            answer = method(b"ping", timeout=30).decode()
        except grpc.RpcError as error:
            answer = "error"
            if number == 0:
                write_line("FAILED", target, error.code().name, error.details())
        answers[answer] = answers.get(answer, 0) + 1
    write_line("BURST", target, *[f"{answer}={count}" for answer, count in answers.items()])


serving = []


def serve(address):
    xds_server = grpc.server(futures.ThreadPoolExecutor(4), xds=True)
    own = grpc.insecure_server_credentials()
    xds_server.add_secure_port(address, grpc.xds_server_credentials(own))
    xds_server.start()
    serving.append(xds_server)


server = grpc.server(futures.ThreadPoolExecutor(4))
grpc_admin.add_admin_servicers(server)
port = server.add_insecure_port(sys.argv[1])
server.start()
write_line("ADMIN", port)
for argument in sys.argv[2:]:
    open_channel(argument)
for line in sys.stdin:
    command, name, *counts = line.split()
    if command == "open":
        open_channel(name)
    if command == "burst":
        threading.Thread(target=burst, args=[name, int(counts[0])], daemon=True).start()
    if command == "serve":
        serve(name)
    if command == "close":
        channels.pop(name).close()
os._exit(0)
