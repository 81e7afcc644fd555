"""A C-core client that follows orders: each line on standard input is a listener to ask for.

The channel before it is closed first, so that every listener has an xDS client of its own.
Ends when standard input ends: its parent is gone, in whatever way.
"""

import os
import sys

import grpc


def main():
    channel = None
    for line in sys.stdin:
        if channel is not None:
            channel.close()
        channel = grpc.insecure_channel("xds:///" + line.strip())
        # What becomes of the call is all one: it starts the channel.
        channel.unary_unary("/conformance.Service/Method").future(b"", timeout=20)
    os._exit(0)


main()
