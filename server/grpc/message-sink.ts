/** Receives one message in the pieces in which it arrives, so that it is not in memory twice. */
export interface MessageSink {
  /**
   * The next bytes; in total as many as were announced. They do not change after the call, but they may be a small part of
   * a buffer of 64 KiB that stays in memory with them.
   */
  write(bytes: Buffer): void;
  /**
   * The message is complete. Nothing more is read before the promise settles, and it must not reject; undefined if the
   * message has been handled.
   */
  end(): Promise<void> | undefined;
}
