import * as z from 'zod';
import { count } from './field-schemas';
import { interopVerdicts } from './interop-verdicts';

export const interopVerdict = z.enum(interopVerdicts);

/** A step of a run: what was done, and whether what was expected of the RPCs was seen. */
export const interopStep = z.object({
  runId: z.string(),
  /** The name of the case, as in "gentle_failover". */
  case: z.string(),
  /** The program that runs, as in "grpc-js" with the version "1.14.1". */
  client: z.object({ name: z.string(), version: z.string() }),
  /** From 1 to `of`, in the order of the case. The first step of every case is the start of the client. */
  step: count,
  of: count,
  title: z.string(),
  /** As a sentence without a full stop, as in "only a1, a2 and a3 receive RPCs, none fails". */
  expected: z.string(),
  /** The newest result, as in "40 RPCs: 20 by a1, 20 by a2, 0 failed". */
  seen: z.string(),
  /** The newest xDS message of the client before a result that fails, as in "ACK of RDS, 30.1 s before". Absent: it holds, or was recorded before xdscope kept it. */
  preceded: z.string().optional(),
  outcome: z.enum(['holds', 'fails']),
  /** From the actions of the step to the result. */
  ms: count,
  /** Set on the last step that was done: the result of the run. */
  verdict: z.object({ verdict: interopVerdict, reason: z.string() }).optional(),
});
