/**
 * GET clients/{id}/propagation and GET divergences: each resource as probes received it, as the control plane reports it
 * and as the client reports it; and differences between the two variants of the protocol.
 */
import { z } from 'zod';
import { propagationMismatchKinds } from '../sync/find-first-mismatch';
import { propagationPlaces } from '../sync/propagation-state';
import { clientStatuses, configStatuses } from '../xds/status';
import { moment } from './moment';
import { at, described, limit, offset } from './query-fields';
import { time } from './words';

const count = z.number().int();
const place = z.enum(propagationPlaces);

export const propagationQuery = z.strictObject({
  only: described(z.enum(['differs', 'all']).default('all'), 'differs: only resources with a mismatch.'),
  type: described(z.string().max(512).optional(), 'Only this type, as in CDS, or a type URL.'),
  q: described(z.string().max(4_096).default(''), 'Only resources whose names contain this text.'),
  name: described(z.string().max(4_096).optional(), 'Only the resource of this name.'),
  offset: offset('Resources'),
  limit: limit('resources', { min: 1, max: 500, otherwise: 100 }),
});
export type PropagationQuery = z.infer<typeof propagationQuery>;

export const propagationState = z.object({
  sourceId: z.string(),
  versionInfo: z.string(),
  /** The newest body that a probe received, accepted or not. null: not reported. */
  hash: z.string().nullable(),
  clientStatus: z.enum(clientStatuses),
  /** Set for the control plane only. */
  configStatus: z.enum(configStatuses),
  /** Why it was rejected; empty: it was not. */
  details: z.string(),
  changedAt: time,
});

export const propagationRow = z.object({
  typeUrl: z.string(),
  service: z.string(),
  name: z.string(),
  /** null: there is no reporter, or it does not name the resource; see `sources`. */
  states: z.object({
    sotw: propagationState.nullable(),
    delta: propagationState.nullable(),
    controlPlane: propagationState.nullable(),
    client: propagationState.nullable(),
  }),
  /** The first place that differs from the one before; null: there is no known difference. */
  firstMismatch: z
    .object({
      from: place,
      to: place,
      kind: z.enum(propagationMismatchKinds),
      /** As findings are named: "sotw-delta-divergence". */
      finding: z.string(),
      text: z.string(),
    })
    .nullable(),
  /** Places that report it: of one alone nothing can be said. */
  compared: count,
  /** The newest change of any of them. */
  changedAt: time,
});

const propagationSource = z.object({
  /** The client that it reports: itself, if it is a probe. */
  clientId: z.string(),
  sourceId: z.string(),
  nodeId: z.string(),
  freshness: z.enum(['live', 'stale', 'gone']),
  /** Why it is not live; empty when it is. */
  reason: z.string(),
});

export const propagationPage = z.object({
  /** Who speaks at each place; null: nobody. */
  sources: z.object({
    sotw: propagationSource.nullable(),
    delta: propagationSource.nullable(),
    controlPlane: propagationSource.nullable(),
    client: propagationSource.nullable(),
  }),
  counts: z.object({
    /** Resources that anybody names for the client. */
    resources: count,
    agree: count,
    differ: count,
    /** Of which one place alone reports. */
    alone: count,
  }),
  /** From `offset` on; what differs first. */
  items: z.array(propagationRow),
  offset: count,
  total: count,
  /** Not there: now. */
  moment: moment.optional(),
});

export const divergencesQuery = z.strictObject({ at });
export type DivergencesQuery = z.infer<typeof divergencesQuery>;

export const divergence = z.object({
  /** As findings are named. */
  finding: z.literal('sotw-delta-divergence'),
  target: z.string(),
  typeUrl: z.string(),
  service: z.string(),
  name: z.string(),
  kind: z.enum(['content', 'missing', 'extra']),
  text: z.string(),
  /** Since when the two have reported the same different things. */
  since: time,
  /** Clients that are our probes, and what each has: null: not there. */
  sotw: z.object({ clientId: z.string(), sourceId: z.string(), hash: z.string().nullable() }),
  delta: z.object({ clientId: z.string(), sourceId: z.string(), hash: z.string().nullable() }),
});

export const variantPair = z.object({
  target: z.string(),
  sotwSourceId: z.string(),
  deltaSourceId: z.string(),
  /** `waiting`: not both are live, or the first comparison is still to come. */
  state: z.enum(['agree', 'diverge', 'waiting']),
  divergences: count,
  /** Resources that were compared. */
  compared: count,
  checkedAt: time.nullable(),
});

export const divergences = z.object({
  /** ADS sources that ask the same of the same server in both variants. */
  pairs: z.array(variantPair),
  /** At most 1,000. */
  items: z.array(divergence),
  total: count,
  /** The moment that was asked for, as a time; not there: now. */
  at: time.optional(),
});

export type PropagationStateRow = z.infer<typeof propagationState>;
export type PropagationRow = z.infer<typeof propagationRow>;
export type PropagationPage = z.infer<typeof propagationPage>;
export type Divergence = z.infer<typeof divergence>;
export type VariantPair = z.infer<typeof variantPair>;
export type Divergences = z.infer<typeof divergences>;
