import * as z from 'zod';
import { list, time } from '../fields/answer-fields';
import { newProbeSettings } from '../sources/schema';

const checkVerdict = z.enum(['passes', 'fails', 'non-strict', 'informational', 'not-asked']);

const serverCheck = z.object({
  /** S1 (state of the world), D1 (delta), T1 (transport). */
  id: z.string(),
  title: z.string(),
  level: z.enum(['must', 'should', 'informational']),
  expected: z.string(),
  /** The sentence of the specification that states the rule. */
  source: z.object({ section: z.string(), sentence: z.string(), url: z.string() }),
  changesConfig: z.literal(true).optional(),
  sendsNack: z.literal(true).optional(),
});

const checkMessage = z.object({
  isSent: z.boolean(),
  stream: z.number(),
  afterMs: z.number(),
  typeUrl: z.string(),
  version: z.string(),
  nonce: z.string(),
  /** At most 100 names; `moreNames` counts the others. */
  names: z.array(z.string()),
  removed: z.array(z.string()),
  moreNames: z.number().optional(),
  error: z.string(),
});

const checkResult = serverCheck.extend({
  verdict: checkVerdict,
  seen: z.string(),
  /** At most 200 messages; `moreMessages` counts the others. */
  messages: z.array(checkMessage),
  moreMessages: z.number().optional(),
  tookMs: z.number(),
});

/** One run of the checks against one management server. */
export const checkRunSummary = z.object({
  id: z.string(),
  /** The name of a control plane, or the target of a server. */
  server: z.string(),
  /** Only of a run of the repository: that of the control plane. */
  version: z.string().optional(),
  /** `repository`: a run that ships with xdscope. `page`: a run of this xdscope. */
  origin: z.enum(['repository', 'page']),
  /** `all`: the config of the server was changed by an adapter. */
  access: z.enum(['read-only', 'all']),
  mayReject: z.boolean(),
  /** The node id of all streams; absent: each check has its own. */
  nodeId: z.string().optional(),
  startedAt: time,
  endedAt: time.optional(),
  /** `stopped`: by a user, or by the end of xdscope. `failed`: the server could not be checked. */
  state: z.enum(['running', 'done', 'stopped', 'failed']),
  /** Why the run did not end as planned. */
  detail: z.string().optional(),
  /** The number of checks of the run. */
  total: z.number(),
  /** A shared run is kept until somebody removes it. */
  isShared: z.boolean(),
  verdicts: z.record(z.string(), checkVerdict),
});

export const checkRun = checkRunSummary.extend({ results: z.array(checkResult) });

export const checkRunList = list(checkRunSummary).extend({
  /** Every check, by section of the protocol. */
  checks: z.array(serverCheck),
});

export const newCheckRun = z
  .strictObject({
    /** host:port. Absent: a management server of the lab, which is started for the run. */
    target: z.string().max(1_000).optional(),
    /** The node and the credentials, as those of an ADS source. */
    settings: newProbeSettings
      .pick({
        nodePreset: true,
        nodeId: true,
        nodeCluster: true,
        nodeLocality: true,
        nodeMetadata: true,
        tls: true,
        credentials: true,
      })
      .default({}),
    /** Also run the checks that reject a response, which the server reports. */
    mayReject: z.boolean().default(false),
    /** Ids of checks; absent: all. */
    checks: z.array(z.string().max(10)).min(1).max(100).optional(),
  })
  .refine(({ target, settings }) => target !== undefined || Object.keys(settings).length === 0, {
    path: ['settings'],
    error: 'expected none without a target, got some: the lab has no credentials',
  });

export type ServerCheckJson = z.infer<typeof serverCheck>;
export type CheckResultJson = z.infer<typeof checkResult>;
export type CheckRunSummary = z.infer<typeof checkRunSummary>;
export type CheckRunJson = z.infer<typeof checkRun>;
export type NewCheckRun = z.output<typeof newCheckRun>;
