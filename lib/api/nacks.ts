/**
 * GET nacks and GET nacks/{groupId}: rejections, those that are equal in one group (same type, resource and text), over
 * clients and time. Times are ISO 8601 in UTC; null is "not reported". Pages import types only.
 */
import { z } from 'zod';
import { profiles } from '../validate/profile';
import { finding } from './findings';
import { described, epochTime, limit } from './query-fields';
import { time, vantage } from './words';

export const nackStates = ['open', 'resolved'] as const;
/** open: a client rejects it still. resolved: none does, as far as is known. */
export const nackState = z.enum(nackStates);

export const nackGroup = z.object({
  /** The same after a restart: made of type, resource and text. */
  id: z.string(),
  typeUrl: z.string(),
  /** As in "CDS"; the type URL's last part for types without a service. */
  service: z.string(),
  /** Empty where the text names no resource. */
  name: z.string(),
  state: nackState,
  /** What is wrong, in a client's words, without what is around it; the first one of several, cut to 300 characters. */
  reason: z.string(),
  /** How many things the text says of the resource. */
  statements: z.number().int(),
  /** Where the text reports a field: as in "endpoints[0].locality". */
  fieldPath: z.string().nullable(),
  firstAt: time,
  lastAt: time,
  /** When the last client that rejected it stopped; null while it is open. */
  resolvedAt: time.nullable(),
  /** Over all clients. */
  times: z.number().int(),
  clients: z.object({
    total: z.number().int(),
    open: z.number().int(),
    /** Were more than are kept. */
    leftOut: z.number().int(),
  }),
  /** Those with the newest rejections. */
  someClients: z.array(z.object({ clientId: z.string(), nodeId: z.string() })),
  vantages: z.array(vantage),
});

export const nacksQuery = z.object({
  client: described(z.string().optional(), 'Only NACKs of this client: its id.'),
  type: described(z.string().optional(), 'Only of this type: a service, as in CDS, or a type URL.'),
  resource: described(z.string().optional(), 'Part of the name of the resource, whatever the case.'),
  text: described(z.string().optional(), 'Part of the error text, whatever the case.'),
  state: described(
    nackState.optional(),
    'open: a client still rejects the resource. resolved: none does, as far as is known. Default: both.',
  ),
  from: epochTime('Rejected at this moment (ISO 8601) or later.'),
  to: epochTime('Rejected at this moment (ISO 8601) or earlier.'),
  cursor: described(z.string().optional(), '`next` of the page before.'),
  limit: limit('groups', { min: 1, max: 1_000, otherwise: 200 }),
});

export const nackPage = z.object({
  /** Open ones first, then by the newest rejection. */
  items: z.array(nackGroup),
  next: z.string().nullable(),
  /** That match, on all pages. */
  total: z.number().int(),
  counts: z.object({ open: z.number().int(), resolved: z.number().int() }),
  /** `reading`: after a start the log is being read; older groups are still to come. */
  restoring: z.boolean(),
  /** Since when rejections are reported; null: since the log begins. */
  since: time.nullable(),
  /** Groups that fell out: there were more than are kept. */
  leftOut: z.number().int(),
});

const resolution = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('accepted'), versionInfo: z.string(), hash: z.string().nullable() }),
  z.object({ kind: z.literal('removed') }),
  z.object({ kind: z.literal('gone'), reason: z.string() }),
  z.object({ kind: z.literal('rejected-otherwise'), groupId: z.string() }),
]);

export const nackClient = z.object({
  clientId: z.string(),
  nodeId: z.string(),
  userAgent: z.string(),
  isProbe: z.boolean(),
  firstAt: time,
  lastAt: time,
  times: z.number().int(),
  /** The rejected one, the newest. */
  versionInfo: z.string(),
  vantages: z.array(vantage),
  /** Newest rejection's place in the log. */
  seq: z.number().int(),
  /** null: the client rejects it still. */
  ended: z.object({ at: time, seq: z.number().int(), by: resolution }).nullable(),
});

export const nackStatement = z.object({
  /** Where it is in `text`. */
  from: z.number().int(),
  to: z.number().int(),
  reason: z.string(),
  /** As the text reports it. */
  fieldPath: z.string().nullable(),
  /** In the payload; null: nobody can say. */
  field: z
    .object({
      path: z.string(),
      /** reported: the text names it. found: the text names a field, and the payload has one such. concluded: one finding of ours explains the text. */
      basis: z.enum(['reported', 'found', 'concluded']),
      /** Not set in the payload: `path` is what is around it, or where it would be. */
      isAbsent: z.boolean(),
      ruleId: z.string().nullable(),
    })
    .nullable(),
});

export const nackPayload = z.object({
  hash: z.string(),
  role: z.enum(['rejected', 'failed-configuration', 'control-plane', 'other-client']),
  /** Which source reports the body, and what the body is not. */
  sentence: z.string(),
  /** It may not be what the client rejected. */
  isWarning: z.boolean(),
  versionInfo: z.string(),
});

const body = z.object({ versionInfo: z.string(), hash: z.string().nullable() });

export const nackDetail = z.object({
  group: nackGroup,
  /** A client's error message, cut at 8,192 characters. */
  text: z.string(),
  statements: z.array(nackStatement),
  /** Still rejecting first, then by the newest rejection; at most 1,000. */
  clients: z.array(nackClient),
  payload: nackPayload.nullable(),
  /** Why there is no payload; empty when there is one. */
  absence: z.string(),
  /** Whose rules our findings are validated by. */
  profile: z.enum(profiles),
  /** Of the payload; empty without one. */
  findings: z.array(finding),
  /** Resources that were new in the same response and were taken; null: no source reports. */
  accepted: z.object({ names: z.array(z.string()), total: z.number().int() }).nullable(),
  /** What was in use before, and what was taken after; null: nothing, or not reported. */
  before: body.nullable(),
  after: body.nullable(),
});

export type NackGroupRow = z.infer<typeof nackGroup>;
export type NackPage = z.infer<typeof nackPage>;
export type NackClient = z.infer<typeof nackClient>;
export type NackStatementRow = z.infer<typeof nackStatement>;
export type NackPayload = z.infer<typeof nackPayload>;
export type NackDetail = z.infer<typeof nackDetail>;
export type NacksQuery = z.infer<typeof nacksQuery>;
