import * as z from 'zod';
import type { Problem } from '@/lib/observation/observation';
import { sourceKinds } from '@/lib/observation/source-kinds';
import type { SourceStatus } from '../source-status';
import type { SourceDescription } from '../sources/source-registry';

/** Numbers of which some may be NaN, which JSON cannot express: null. */
const packed = z.looseObject({ values: z.array(z.number().nullable()) });

/** A source of a collector, as the shared store has it. What only pages show of it is not checked further. */
const sharedSource = z.object({
  id: z.string(),
  kind: z.enum(sourceKinds),
  target: z.string(),
  label: z.string(),
  security: z.enum(['plain', 'tls', 'mtls']),
  listId: z.string().optional(),
  notices: z.array(z.string()),
  status: z.looseObject({
    state: z.enum(['connecting', 'up', 'down', 'paused']),
    isStandby: z.boolean().optional(),
    clients: z.array(z.tuple([z.string(), z.number()])),
    figures: packed.optional(),
    requests: packed.optional(),
  }),
});

export const sharedSources = z.array(sharedSource);
export type SharedSource = z.infer<typeof sharedSource>;

/** What a collector reports of a source. Of the members of a list, which may be thousands, only what seldom changes. */
export function shareSource(
  { id, kind, target, label, security, listId, notices }: SourceDescription,
  status: SourceStatus,
): SharedSource {
  const { state, problem, notes, clients, notVisible, figures, requests } = status;
  const named = {
    id,
    kind,
    target,
    label,
    security,
    notices: [...notices],
    ...(listId !== undefined && { listId }),
  };
  if (listId !== undefined) {
    const seldom = { problem, notes, notVisible, answers: 0, failures: 0 };
    return {
      ...named,
      status: { ...seldom, state, clients: [...clients.keys()].map((clientId) => [clientId, 0]) },
    };
  }
  return {
    ...named,
    status: {
      ...status,
      clients: [...clients],
      figures: figures && { ...figures, values: numbersOf(figures.values) },
      requests: requests && { ...requests, values: numbersOf(requests.values) },
    },
  };
}

/** The status of a source of a collector. `silence`: the reason why it is not current; undefined: it is. */
export function statusOfShared({ status }: SharedSource, silence: Problem | undefined): SourceStatus {
  const { clients, figures, requests, ...same } = status;
  const read = {
    ...same,
    clients: new Map(clients),
    figures: figures && { ...figures, values: arrayOf(figures.values) },
    requests: requests && { ...requests, values: arrayOf(requests.values) },
  };
  // The collector has written its own SourceStatus.
  const known = read as unknown as SourceStatus;
  return silence === undefined ? known : { ...known, state: 'down', problem: silence };
}

function numbersOf(values: Float64Array): (number | null)[] {
  return Array.from(values, (value) => (Number.isNaN(value) ? null : value));
}

function arrayOf(values: readonly (number | null)[]): Float64Array {
  return Float64Array.from(values, (value) => value ?? Number.NaN);
}
