"""The services of a client of the gRPC xDS interop tests, as ../test-client has them for grpc-js."""

import collections
import gzip
import os
import threading
import time

import grpc
from google.protobuf import descriptor_pb2, message_factory

PACKAGE = "grpc.testing"
DESCRIPTORS = os.path.join(os.path.dirname(__file__), "../../../protos/descriptors/types.binpb.gz")
METHODS = {"EMPTY_CALL": "EmptyCall", "UNARY_CALL": "UnaryCall"}
TYPES = {0: "EMPTY_CALL", 1: "UNARY_CALL"}
USUAL_TIMEOUT_SECONDS = 20
# As in client-process.ts: RPCs of each configured type per second.
QPS = 10
MAX_IN_FLIGHT = 2_000
MAX_BLOCK = 100_000


def load_messages():
    """The classes of the messages by name. grpcio has none: they are made from the descriptors that xdscope reads."""
    with gzip.open(DESCRIPTORS) as file:
        descriptors = descriptor_pb2.FileDescriptorSet.FromString(file.read())
    found = [each for each in descriptors.file if each.package == PACKAGE]
    prefix = PACKAGE + "."
    return {name[len(prefix) :]: each for name, each in message_factory.GetMessages(found).items()}


messages = load_messages()


class Block:
    """Counts the RPCs that start from now on, until `count` of them have ended."""

    def __init__(self, count):
        self.to_start = self.to_end = count
        self.answer = messages["LoadBalancerStatsResponse"]()
        self.ended = threading.Event()

    def add(self, method, peer):
        # An RPC that succeeds without the name of a server counts as failed.
        if peer == "":
            self.answer.num_failures += 1
        else:
            self.answer.rpcs_by_peer[peer] += 1
            self.answer.rpcs_by_method[METHODS.get(method, method)].rpcs_by_peer[peer] += 1
        self.to_end -= 1
        if self.to_end == 0:
            self.ended.set()


class RpcStatistics:
    def __init__(self):
        self.lock = threading.Lock()
        self.started = collections.Counter()
        self.codes = collections.defaultdict(collections.Counter)
        self.blocks = []

    def start(self, method):
        """Returns the function that gets the call when it has ended."""
        with self.lock:
            self.started[method] += 1
            blocks = [each for each in self.blocks if each.to_start > 0]
            for block in blocks:
                block.to_start -= 1
        return lambda call: self.end(method, call, blocks)

    def end(self, method, call, blocks):
        code = call.code().value[0]
        headers = dict(call.initial_metadata() or ()) if code == 0 else {}
        with self.lock:
            self.codes[method][code] += 1
            for block in blocks:
                block.add(method, headers.get("hostname", ""))

    def get_client_stats(self, request, context):
        if not 1 <= request.num_rpcs <= MAX_BLOCK:
            details = "num_rpcs: expected 1 to %d, got %d" % (MAX_BLOCK, request.num_rpcs)
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, details)
        block = Block(request.num_rpcs)
        with self.lock:
            self.blocks.append(block)
        block.ended.wait(request.timeout_sec or USUAL_TIMEOUT_SECONDS)
        with self.lock:
            self.blocks.remove(block)
            answer = messages["LoadBalancerStatsResponse"]()
            answer.CopyFrom(block.answer)
            # RPCs that have not ended count as failed.
            answer.num_failures += block.to_end
            return answer

    def get_accumulated_stats(self, request, context):
        answer = messages["LoadBalancerAccumulatedStatsResponse"]()
        with self.lock:
            for method, count in self.started.items():
                answer.num_rpcs_started_by_method[method] = count
                answer.num_rpcs_succeeded_by_method[method] = self.codes[method][0]
                answer.num_rpcs_failed_by_method[method] = sum(
                    number for code, number in self.codes[method].items() if code != 0
                )
                counted = answer.stats_per_method[method]
                counted.rpcs_started = count
                for code, number in self.codes[method].items():
                    counted.result[code] = number
        return answer


class TestCalls:
    """Makes EmptyCall and UnaryCall at a fixed rate, as they were configured last."""

    def __init__(self, channel, statistics):
        self.statistics = statistics
        self.calls = {
            method: channel.unary_unary("/%s.TestService/%s" % (PACKAGE, name)) for method, name in METHODS.items()
        }
        self.in_flight = threading.Semaphore(MAX_IN_FLIGHT)
        # The rest of a configuration that was replaced is not sent.
        self.configured = 0

    def configure(self, request, context):
        types = {TYPES.get(each) for each in request.types}
        if not types.issubset(METHODS):
            expected = "types: expected 0 or 1, got %s" % list(request.types)
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, expected)
        self.configured += 1
        if types:
            args = (self.configured, types, request)
            threading.Thread(target=self.keep_calling, args=args, daemon=True).start()
        return messages["ClientConfigureResponse"]()

    def keep_calling(self, number, types, request):
        metadata = {
            each: tuple((entry.key, entry.value) for entry in request.metadata if TYPES.get(entry.type) == each)
            for each in types
        }
        due = time.monotonic()
        while self.configured == number:
            for each in types:
                self.call(each, metadata[each], request.timeout_sec or USUAL_TIMEOUT_SECONDS)
            due += 1 / QPS
            time.sleep(max(0, due - time.monotonic()))

    def call(self, method, metadata, timeout):
        if not self.in_flight.acquire(blocking=False):
            return
        count = self.statistics.start(method)
        answer = self.calls[method].future(b"", timeout=timeout, metadata=metadata, wait_for_ready=True)
        answer.add_done_callback(count)
        answer.add_done_callback(lambda _: self.in_flight.release())


def services(statistics, calls):
    stats = {
        "GetClientStats": (statistics.get_client_stats, "LoadBalancerStatsRequest"),
        "GetClientAccumulatedStats": (statistics.get_accumulated_stats, "LoadBalancerAccumulatedStatsRequest"),
    }
    configure = {"Configure": (calls.configure, "ClientConfigureRequest")}
    return [service("LoadBalancerStatsService", stats), service("XdsUpdateClientConfigureService", configure)]


def service(name, methods):
    handlers = {
        method: grpc.unary_unary_rpc_method_handler(
            answer, messages[request].FromString, lambda message: message.SerializeToString()
        )
        for method, (answer, request) in methods.items()
    }
    return grpc.method_handlers_generic_handler("%s.%s" % (PACKAGE, name), handlers)
