import * as z from 'zod';
import { count, epochMs } from '../observation/field-schemas';
import { interopStep, interopVerdict } from '../observation/interop-step-schema';

/** A program that can be run: registered when xdscope starts, never by a request. */
export const interopClient = z.object({
  /** Identifies the program in requests, as in "grpc-js" or "grpc-go". */
  name: z.string(),
  version: z.string(),
  /** Why the program cannot run on this machine. Absent: it can. */
  unavailable: z.string().optional(),
});

/** A case as pages and reports state it. Its resources and steps are in lib/interop/cases. */
const interopCase = z.object({
  /** As in "gentle_failover": the name of the gRPC test description where it has the case. */
  name: z.string(),
  /** One sentence: what the case proves. */
  title: z.string(),
  /** The group of rows of the matrix, as in "Failover". */
  feature: z.string(),
  /** The gRFC of the feature, as in "A27". Absent: none. */
  grfc: z.string().optional(),
  /** `description`: one of the 20 of the test description. `later`: of gRPC's psm-interop or of our own. */
  origin: z.enum(['description', 'later']),
});

const runState = z.enum(['waiting', 'running', 'ended']);

/** A step of a run, with its time. Steps that were not reached are absent. */
const runStep = interopStep
  .pick({ step: true, title: true, expected: true, seen: true, preceded: true, outcome: true, ms: true })
  .extend({
    /** When the step had its result. */
    at: epochMs,
    /** What the management servers of the run serve at the end of the step, if it differs from the step before. */
    served: z
      .array(
        z.object({
          /** As in "primary". */
          server: z.string(),
          /** As in "CDS". */
          service: z.string(),
          name: z.string(),
          /** As compact proto3 JSON. Absent: no longer served. */
          json: z.string().optional(),
        }),
      )
      .optional(),
  });

/** The machine of a run, when it began. */
const machine = z.object({
  /** As in "linux x64". */
  platform: z.string(),
  cores: count,
  /** Processes that run or wait for a core, on average over the minute before. */
  load: z.number().nonnegative(),
  /** The version of Node that runs the servers and backends. */
  node: z.string(),
});

/** One case with one client. */
const interopRunSummary = z.object({
  id: z.string(),
  case: z.string(),
  client: interopClient.pick({ name: true, version: true }),
  /** The program of the xDS-enabled servers (gRFC A36). Absent: the case has none, or the run was recorded before xdscope kept it. */
  backends: interopClient.pick({ name: true, version: true }).optional(),
  state: runState,
  startedAt: epochMs,
  /** Absent while the run waits or runs. */
  endedAt: epochMs.optional(),
  /** Time from the start of the client to the end of the last step. Absent while the run waits or runs. */
  seconds: z.number().nonnegative().optional(),
  /** Absent while the run waits or runs. */
  verdict: interopVerdict.optional(),
  /** Why it is that verdict; empty if the case works. */
  reason: z.string(),
  /** Set if the result differs from `works` as listed in lib/interop/known-results.ts: the reason in the list. */
  known: z.string().optional(),
  /** Variables that switch the feature on, after a run without them that does not work. */
  environment: z.record(z.string(), z.string()).optional(),
  /**
   * The xDS client that was run, whose pages show the run: its History has the steps. Absent until a source reports it,
   * and if nothing was recorded (`npm run interop`).
   */
  clientId: z.string().optional(),
});

export const interopRun = interopRunSummary.extend({
  nodeId: z.string(),
  /** Number of steps of the case, the start of the client included. */
  of: count,
  steps: z.array(runStep),
  /** Command line arguments of the client. */
  flags: z.array(z.string()),
  /** The gRPC bootstrap of the client, as JSON text. */
  bootstrap: z.string(),
  /** Absent: the run was recorded before xdscope kept it. */
  machine: machine.optional(),
  /** Number of NACKs of the client. */
  nacks: count,
  /** The end of the client's standard error, where it states why it ended. Empty: nothing was written. */
  stderr: z.string(),
  /** The run ships with xdscope: it was not done here. */
  isShipped: z.literal(true).optional(),
});

export const interopRuns = z.object({
  clients: z.array(interopClient),
  cases: z.array(interopCase),
  /** The newest first. */
  items: z.array(interopRunSummary),
});

/** Starts each of the cases, one after the other, with one client. */
export const interopRunRequest = z.strictObject({
  /** The name of a registered client. */
  client: z.string().min(1).max(100),
  /** Names of cases. Absent: all. */
  cases: z.array(z.string().min(1).max(100)).min(1).max(100).optional(),
});

export const interopRunsStarted = z.object({ items: z.array(interopRunSummary) });

/** What is known of one case with one version of a client. */
const interopCell = z.object({
  case: z.string(),
  client: interopClient.pick({ name: true, version: true }),
  /** That of the newest run; `flaky` if the newest runs differ. */
  verdict: interopVerdict,
  reason: z.string(),
  known: z.string().optional(),
  seconds: z.number().nonnegative().optional(),
  /** The newest run. Absent: none. */
  runId: z.string().optional(),
  /** When the run began, if it ships with xdscope because none was done here. */
  shippedAt: epochMs.optional(),
  /** Number of runs that work among the newest, at most 5. */
  working: count,
  runs: count,
});

export const interopMatrix = z.object({
  cases: z.array(interopCase),
  clients: z.array(interopClient),
  /** One for each case and client, in the order of both lists. */
  cells: z.array(interopCell),
});

export type InteropClient = z.infer<typeof interopClient>;
export type InteropRun = z.infer<typeof interopRun>;
export type InteropRunSummary = z.infer<typeof interopRunSummary>;
export type InteropMatrix = z.infer<typeof interopMatrix>;
export type InteropCell = z.infer<typeof interopCell>;
export type InteropStep = z.infer<typeof interopStep>;
export type RunStep = InteropRun['steps'][number];
