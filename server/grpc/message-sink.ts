/** Takes one message as it comes in from the network, so that it need not be in memory twice. */
export interface MessageSink {
  /** The next bytes, which are the sink's only until it returns. All of them together are as many as were announced. */
  write(bytes: Buffer): void;
  /** The message is complete. Nothing more is read before the promise has settled; it must not reject. */
  end(): Promise<void>;
}
