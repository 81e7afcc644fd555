/** What a client process is reported on its command line, as JSON. grpc-js and Python clients read the same. */
export interface ClientProgram {
  /** Where it serves CSDS and channelz. */
  readonly adminPort: number;
  readonly calls: readonly ClientCall[];
}

/** One kind of call, made again and again. */
export interface ClientCall {
  /** The listener, without "xds:///". */
  readonly listener: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly everyMs: number;
}
