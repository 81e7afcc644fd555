"""The client of a twin: reads RPCs as a line of JSON, sends them one after the other, and writes a line of JSON for each."""

import base64
import json
import os
import sys
import threading

import grpc


def unchanged(data):
    return data


def end_with_parent():
    sys.stdin.buffer.read()
    os._exit(0)


def run():
    rpcs = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=end_with_parent, daemon=True).start()
    metadata = [
        (name, base64.b64decode(value) if name.endswith("-bin") else value) for name, value in rpcs["metadata"]
    ]
    channel = grpc.insecure_channel(rpcs["target"], options=[("grpc.default_authority", rpcs["authority"])])
    method = channel.unary_unary(rpcs["path"], unchanged, unchanged)
    for _ in range(rpcs["times"]):
        call = method.future(b"", timeout=rpcs["deadlineMs"] / 1000, metadata=metadata)
        result = {"code": call.code().value[0], "details": call.details() or ""}
        ports = [value for name, value in call.initial_metadata() or () if name == "xdscope-backend"]
        if ports:
            result["backend"] = int(ports[0])
        print(json.dumps(result), flush=True)
    threading.Event().wait()
