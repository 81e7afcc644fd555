import * as z from 'zod';
import type { Problem } from '@/lib/observation/observation';
import { sourceKinds } from '@/lib/observation/source-kinds';
import type { EpochMs } from '@/lib/xds/units';
import type { SourceStatus } from '../source-status';
import type { SourceDescription } from '../sources/source-registry';

/** Numbers of which some may be NaN, which JSON cannot express: null. */
type InJson<Packed> = Packed extends { readonly values: Float64Array }
  ? Omit<Packed, 'values'> & { readonly values: readonly (number | null)[] }
  : Packed;

/** A status as JSON, without the ids of its clients, which seldom change. */
interface SharedStatus extends Omit<SourceStatus, 'clients' | 'figures' | 'requests'> {
  /** When each of the clients was last named, in the order of their ids, or all of them. */
  readonly clientsAt: EpochMs | readonly EpochMs[];
  readonly figures?: InJson<SourceStatus['figures']>;
  readonly requests?: InJson<SourceStatus['requests']>;
}

const packed = z.looseObject({ values: z.array(z.number().nullable()) });
/** What is computed with. The rest is only shown, and was written by a SourceReporter. */
const checked = z.looseObject({
  state: z.enum(['connecting', 'up', 'down', 'paused']),
  isStandby: z.boolean().optional(),
  clientsAt: z.union([z.number(), z.array(z.number())]),
  figures: packed.optional(),
  requests: packed.optional(),
});

/** A source of a collector, as the shared store has it. */
const sharedSource = z.object({
  id: z.string(),
  kind: z.enum(sourceKinds),
  target: z.string(),
  label: z.string(),
  security: z.enum(['plain', 'tls', 'mtls']),
  listId: z.string().optional(),
  notices: z.array(z.string()),
  status: z.custom<SharedStatus>((status) => checked.safeParse(status).success),
});

export const sharedSources = z.array(sharedSource);
/** The ids of the clients of each source, by its id. */
export const sharedClients = z.array(z.tuple([z.string(), z.array(z.string())]));
export type SharedSource = z.infer<typeof sharedSource>;

/** What a collector reports of a source. Of the members of a list, which may be thousands, only what seldom changes. */
export function shareSource(
  { id, kind, target, label, security, listId, notices }: SourceDescription,
  status: SourceStatus,
): SharedSource {
  const { state, problem, notes, notVisible } = status;
  const { clients, figures, requests, ...same } = status;
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
    return { ...named, status: { ...seldom, state, clientsAt: 0 } };
  }
  const times = [...clients.values()];
  return {
    ...named,
    status: {
      ...same,
      clientsAt: new Set(times).size > 1 ? times : (times[0] ?? 0),
      figures: figures && { ...figures, values: numbersOf(figures.values) },
      requests: requests && { ...requests, values: numbersOf(requests.values) },
    },
  };
}

/** The status of a source of a collector. `clientIds`: its clients. `silence`: the reason why it is not current; undefined: it is. */
export function statusOfShared(
  { status }: SharedSource,
  clientIds: readonly string[],
  silence: Problem | undefined,
): SourceStatus {
  const { clientsAt, figures, requests, ...same } = status;
  const timeOf = (index: number): EpochMs =>
    typeof clientsAt === 'number' ? clientsAt : (clientsAt[index] ?? 0);
  const known: SourceStatus = {
    ...same,
    clients: new Map(clientIds.map((id, index) => [id, timeOf(index)])),
    figures: figures && { ...figures, values: arrayOf(figures.values) },
    requests: requests && { ...requests, values: arrayOf(requests.values) },
  };
  return silence === undefined ? known : { ...known, state: 'down', problem: silence };
}

function numbersOf(values: Float64Array): (number | null)[] {
  return Array.from(values, (value) => (Number.isNaN(value) ? null : value));
}

function arrayOf(values: readonly (number | null)[]): Float64Array {
  return Float64Array.from(values, (value) => value ?? Number.NaN);
}
