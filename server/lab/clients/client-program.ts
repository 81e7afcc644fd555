/** The command line argument of a client process, as JSON. grpc-js and Python clients use the same format. */
export interface ClientProgram {
  readonly adminPort: number;
  readonly calls: readonly ClientCall[];
}

export interface ClientCall {
  /** The listener, without "xds:///". */
  readonly listener: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly everyMs: number;
}
