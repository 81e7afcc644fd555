/** What a run of a case of the gRPC interop tests says about the client. */
export const interopVerdicts = [
  /** Every assertion held within its time. */
  'works',
  /** It works only with environment variables that switch the feature on: without them it does not. */
  'by-flag',
  /** An assertion did not hold, and none of the reasons below explains it. */
  'fails',
  /** The client rejected (NACKed) a resource that the case serves. */
  'rejects',
  /** The client accepted the resources of the case, and its RPCs are as without them. */
  'ignored',
  /** The client, or its test program, does not support what the case needs. */
  'unable',
  /** The run proves nothing: the client ended before its first RPC, or could not keep its rate. */
  'inconclusive',
  /** Some of the newest runs of the same version work and some do not. Only in the matrix. */
  'flaky',
  'not-run',
] as const;
export type InteropVerdict = (typeof interopVerdicts)[number];
