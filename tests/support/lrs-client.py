"""A C-core client of LRS, out of Debian's python3-grpcio: three streams on one connection, each with a large first report.

Arguments: the target, and the report's bytes in hex. Prints how many bytes each stream was answered with.
"""

import queue
import sys

import grpc

METHOD = "/envoy.service.load_stats.v3.LoadReportingService/StreamLoadStats"
STREAMS = 3


def main():
    target, report = sys.argv[1], bytes.fromhex(sys.stdin.read())
    # Pings of its own, as often as the core allows: the server must take them.
    options = [("grpc.keepalive_time_ms", 1000), ("grpc.http2.max_pings_without_data", 0)]
    with grpc.insecure_channel(target, options=options) as channel:
        streams = []
        for _ in range(STREAMS):
            requests = queue.SimpleQueue()
            answers = channel.stream_stream(METHOD)(iter(requests.get, None))
            streams.append((requests, answers))
        for requests, _ in streams:
            requests.put(report)
        for _, answers in streams:
            print(len(next(answers)), flush=True)
        for requests, _ in streams:
            requests.put(report)
            requests.put(None)
        for _, answers in streams:
            print("more" if list(answers) else answers.code().name, flush=True)


main()
