/** GET nacks and GET nacks/{groupId}: NACKs, grouped by type, resource and text, over clients and time. */

import * as z from 'zod';
import { nackStates } from '../../nacks/nack-group';
import { vantage } from '../../observation/field-schemas';
import { resourceRow } from '../../observation/resource-schemas';
import { profiles } from '../../xds/profile';
import { time } from '../fields/answer-fields';
import { described, epochTime, limit } from '../fields/query-fields';
import { finding } from '../findings/schema';

/**
 * open: a client has not resolved it, whether or not it terminated. resolved: every client accepted another payload, or the
 * resource was removed.
 */
const nackState = z.enum(nackStates);

const nackGroup = z.object({
  /** Derived from type, resource and text, and therefore equal after a restart. */
  id: z.string(),
  typeUrl: z.string(),
  /** As in "CDS"; the last part of the type URL for types without a service. */
  service: z.string(),
  /** Empty if the text names no resource. */
  name: z.string(),
  state: nackState,
  /** The first reason in the text, without what surrounds it, cut to 300 characters. */
  reason: z.string(),
  statements: z.number().int(),
  /** The field of the first statement, as in "endpoints[0].locality": in the payload if that is known, otherwise as in the text; absent: not known. */
  fieldPath: z.string().optional(),
  firstAt: time,
  lastAt: time,
  /** The time at which the last client resolved it; absent unless it is resolved. */
  resolvedAt: time.optional(),
  times: z.number().int(),
  clients: z.object({
    total: z.number().int(),
    open: z.number().int(),
    /** The number of the open ones that terminated, restarted or lost their stream since. */
    terminated: z.number().int(),
    /** The number of clients beyond the limit. */
    leftOut: z.number().int(),
  }),
  someClients: z.array(z.object({ clientId: z.string(), nodeId: z.string() })),
  vantages: z.array(vantage),
});

export const nacksQuery = z.object({
  q: described(
    z.string().max(4_096).default(''),
    'A filter: words in the name or the error text, and expressions, as in type=CDS name~cart state=open since=10m.',
  ),
  client: described(z.string().optional(), 'Only NACKs of this client: its id.'),
  type: described(z.string().optional(), 'Only of this type: a service, as in CDS, or a type URL.'),
  resource: described(z.string().optional(), 'Part of the name of the resource, whatever the case.'),
  text: described(z.string().optional(), 'Part of the error text, whatever the case.'),
  state: described(
    nackState.optional(),
    'open: a client has not resolved it. resolved: every client has. Default: all.',
  ),
  terminated: described(
    z.enum(['show', 'hide']).default('show'),
    'hide: leaves out open NACKs all of whose open clients terminated.',
  ),
  from: epochTime('Rejected at this moment (ISO 8601) or later.'),
  to: epochTime('Rejected at this moment (ISO 8601) or earlier.'),
  cursor: described(z.string().optional(), '`next` of the page before.'),
  limit: limit('groups', { min: 1, max: 1_000, otherwise: 200 }),
});

export const nackPage = z.object({
  /** Open ones first, then those whose open clients terminated, then resolved ones; each by the newest rejection. */
  items: z.array(nackGroup),
  next: z.string().optional(),
  /** The number of matches on all pages. */
  total: z.number().int(),
  counts: z.object({
    /** The active ones, which have a client that has not terminated. */
    open: z.number().int(),
    /** Open ones whose open clients have all terminated. */
    terminated: z.number().int(),
    resolved: z.number().int(),
  }),
  /** After a start the log is being read; older groups will follow. */
  restoring: z.boolean(),
  /** The oldest rejection that is known; absent: the beginning of the log. */
  since: time.optional(),
  /** The number of groups beyond the limit. */
  leftOut: z.number().int(),
});

const resolution = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('accepted'), versionInfo: z.string(), hash: resourceRow.shape.hash }),
  z.object({ kind: z.literal('removed') }),
  z.object({ kind: z.literal('rejected-otherwise'), groupId: z.string() }),
]);

const nackClient = z.object({
  clientId: z.string(),
  nodeId: z.string(),
  userAgent: z.string(),
  isProbe: z.boolean(),
  firstAt: time,
  lastAt: time,
  times: z.number().int(),
  versionInfo: z.string(),
  vantages: z.array(vantage),
  /** The position of the newest rejection in the log. */
  seq: z.number().int(),
  state: nackState,
  /** Absent: not resolved. */
  ended: z.object({ at: time, seq: z.number().int(), by: resolution }).optional(),
  /** The client terminated, restarted or lost its stream before it resolved the NACK; absent: it did not. */
  gone: z.object({ at: time, seq: z.number().int(), reason: z.string() }).optional(),
});

const nackStatement = z.object({
  /** The position in `text`. */
  from: z.number().int(),
  to: z.number().int(),
  reason: z.string(),
  /** As in the text. */
  fieldPath: z.string().optional(),
  /** The field of the payload; absent: not known. */
  field: z
    .object({
      path: z.string(),
      /**
       * reported: the text names it. found: the text names a field that the payload has once. concluded: one finding of
       * ours explains the text.
       */
      basis: z.enum(['reported', 'found', 'concluded']),
      /** The payload lacks the field; `path` is the field's, or that of its parent. */
      isAbsent: z.boolean(),
      ruleId: z.string().optional(),
    })
    .optional(),
});

const nackPayload = z.object({
  hash: z.string(),
  role: z.enum(['rejected', 'control-plane', 'other-client']),
  /** The source of the body, and how it may differ from the rejected one. */
  sentence: z.string(),
  /** The client may have rejected another body. */
  isWarning: z.boolean(),
  versionInfo: z.string(),
});

const body = z.object({ versionInfo: z.string(), hash: resourceRow.shape.hash });

export const nackDetail = z.object({
  group: nackGroup,
  /** A client's error message, cut at 8,192 characters. */
  text: z.string(),
  statements: z.array(nackStatement),
  /** Clients that still reject it first, then by the newest rejection; at most 1,000. */
  clients: z.array(nackClient),
  payload: nackPayload.optional(),
  /** The reason why there is no payload; otherwise empty. */
  absence: z.string(),
  /** The profile whose rules produced the findings. */
  profile: z.enum(profiles),
  /** The findings of the payload; empty without one. */
  findings: z.array(finding),
  /** A sentence on the measured versions of the client that would accept the payload; absent: the rules do not explain the rejection. */
  acceptingVersion: z.string().optional(),
  /** New resources of the same response that were accepted; absent: not reported. */
  accepted: z.object({ names: z.array(z.string()), total: z.number().int() }).optional(),
  /** The version in use before, and the one that was accepted afterwards; absent: none, or not reported. */
  before: body.optional(),
  after: body.optional(),
});

export type NackGroupRow = z.infer<typeof nackGroup>;
export type NackPage = z.infer<typeof nackPage>;
export type NackClient = z.infer<typeof nackClient>;
export type NackStatementRow = z.infer<typeof nackStatement>;
export type NackPayload = z.infer<typeof nackPayload>;
export type NackDetail = z.infer<typeof nackDetail>;
export type NacksQuery = z.infer<typeof nacksQuery>;
