/** Takes one message as it comes in from the network, so that it need not be in memory twice. */
export interface MessageSink {
  /**
   * The next bytes; all of them together are as many as were announced. Over node:http2 nobody changes them any more, but
   * they may be a small part of 64 KiB that stay in memory with them; over a lean session they are valid during this call
   * alone.
   */
  write(bytes: Buffer): void;
  /**
   * The message is complete. Nothing more is read before the promise has settled, which must not reject; undefined: it is
   * dealt with.
   */
  end(): Promise<void> | undefined;
}
