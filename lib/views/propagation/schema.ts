/**
 * GET clients/{id}/propagation and GET divergences: each resource as probes received it, as the control plane reports it
 * and as the client reports it; and differences between the two variants of the protocol.
 */
import * as z from 'zod';
import { configStatus, freshness, state } from '../../observation/field-schemas';
import { propagationMismatchKinds } from '../../sync/find-first-mismatch';
import { propagationPlaces } from '../../sync/propagation-state';
import { time } from '../fields/answer-fields';
import { moment } from '../fields/moment';
import { at, described, limit, offset } from '../fields/query-fields';

const count = z.number().int();
const place = z.enum(propagationPlaces);

export const propagationQuery = z.strictObject({
  only: described(
    z.enum(['differs', 'all']).default('all'),
    'differs: only resources with a mismatch that is older than 30 seconds (5 between the probes). A probe that requests as another node is no mismatch.',
  ),
  type: described(z.string().max(512).optional(), 'Only this type, as in CDS, or a type URL.'),
  q: described(z.string().max(4_096).default(''), 'Only resources whose names contain this text.'),
  name: described(z.string().max(4_096).optional(), 'Only the resource of this name.'),
  offset: offset('Resources'),
  limit: limit('resources', { min: 1, max: 500, otherwise: 100 }),
});
export type PropagationQuery = z.infer<typeof propagationQuery>;

const propagationState = z.object({
  sourceId: z.string(),
  versionInfo: z.string(),
  /** The newest body that a probe received, accepted or not. Absent: not reported. */
  hash: z.string().optional(),
  state,
  /** Set for the control plane only. */
  configStatus,
  /** The reason why it was rejected; empty: it was not. */
  details: z.string(),
  changedAt: time,
});

/** The item of each place. absent: there is no reporter, or it does not name the resource. */
const byPlace = <Item extends z.ZodType>(item: Item) =>
  z.object({
    sotw: item.optional(),
    delta: item.optional(),
    controlPlane: item.optional(),
    client: item.optional(),
  });

export const propagationRow = z.object({
  typeUrl: z.string(),
  service: z.string(),
  name: z.string(),
  states: byPlace(propagationState),
  /** The first place that differs from the one before; absent: there is no known difference. */
  firstMismatch: z
    .object({
      from: place,
      to: place,
      kind: z.enum(propagationMismatchKinds),
      /** The name of the finding, as in "sotw-delta-divergence". */
      finding: z.string(),
      text: z.string(),
      /** The newest change at one of the two places; absent: not reported. */
      since: time.optional(),
      /** Set if the change is so new that the place may just not have received or reported it. */
      isBehind: z.literal(true).optional(),
      /** Set if a probe is compared with the client, and requests as another node: a server may send it other config. */
      isOfOtherNode: z.literal(true).optional(),
    })
    .optional(),
  /** The number of places that report it; with only one there is no comparison. */
  compared: count,
  changedAt: time,
});

const propagationSource = z.object({
  /** The client that it reports; a probe reports itself. */
  clientId: z.string(),
  sourceId: z.string(),
  nodeId: z.string(),
  freshness,
  /** The reason why it is not live; otherwise empty. */
  reason: z.string(),
});

export const propagationSources = byPlace(propagationSource);

export const propagationPage = z.object({
  /** The reporter of each place; absent: none. */
  sources: propagationSources,
  counts: z.object({
    /** Resources that any place reports for the client. */
    resources: count,
    agree: count,
    differ: count,
    /** Resources that changed so recently that a place may just not have received or reported the change. */
    behind: count,
    /** Resources of which the probes, which request as other nodes, were sent other content. */
    otherNode: count,
    /** Resources that only one place reports. */
    alone: count,
  }),
  /** The rows from `offset` on; rows that differ come first. */
  items: z.array(propagationRow),
  offset: count,
  total: count,
  /** Absent: now. */
  moment: moment.optional(),
});

export const divergencesQuery = z.strictObject({ at });
export type DivergencesQuery = z.infer<typeof divergencesQuery>;

const divergence = z.object({
  finding: z.literal('sotw-delta-divergence'),
  target: z.string(),
  typeUrl: z.string(),
  service: z.string(),
  name: z.string(),
  kind: z.enum(['content', 'missing', 'extra']),
  text: z.string(),
  /** The time since which the difference has been the same. */
  since: time,
  /** The client id of each probe, and the body that it received; absent: none. */
  sotw: z.object({ clientId: z.string(), sourceId: z.string(), hash: z.string().optional() }),
  delta: z.object({ clientId: z.string(), sourceId: z.string(), hash: z.string().optional() }),
});

const variantPair = z.object({
  target: z.string(),
  sotwSourceId: z.string(),
  deltaSourceId: z.string(),
  /** `waiting`: one of them is not live, or nothing has been compared yet. */
  state: z.enum(['agree', 'diverge', 'waiting']),
  divergences: count,
  compared: count,
  checkedAt: time.optional(),
});

export const divergences = z.object({
  /** ADS sources that request the same resources of the same server in both variants. */
  pairs: z.array(variantPair),
  /** The divergences, at most 1,000. */
  items: z.array(divergence),
  total: count,
  /** The requested moment; absent: now. */
  at: time.optional(),
});

export type PropagationRow = z.infer<typeof propagationRow>;
export type PropagationStateRow = NonNullable<PropagationRow['states']['client']>;
export type PropagationPage = z.infer<typeof propagationPage>;
export type Divergence = z.infer<typeof divergence>;
export type VariantPair = z.infer<typeof variantPair>;
export type Divergences = z.infer<typeof divergences>;
