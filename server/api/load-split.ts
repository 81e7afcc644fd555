import { z } from 'zod';
import type { FailoverSimulation } from '@/lib/api/failover';
import type { LoadSplit } from '@/lib/api/load';
import { formatIsoTime, formatIsoTimeOrNull } from '@/lib/format/iso-time';
import { formatLocality } from '@/lib/format/locality';
import { compareSplit } from '@/lib/load/compare-split';
import { type ClientState, resourceKey } from '@/lib/observation/client-state';
import { CDS, EDS } from '@/lib/xds/resource-type';
import type { EpochMs } from '@/lib/xds/units';
import type { Clock } from '../observe';
import type { LoadReadQuestion } from '../recorder/load/load-jobs';
import type { LoadRecorder } from '../recorder/load/load-recorder';
import { notFound } from './api-error';
import { timeParameter } from './history-query';
import { parseInput } from './parse-input';

const splitQuery = z.strictObject({
  client: z.string().min(1).max(4096),
  cluster: z.string().min(1).max(4096),
  rules: z.enum(['grpc', 'envoy']).default('grpc'),
  from: timeParameter.optional(),
  to: timeParameter.optional(),
});

export interface LoadSplitParts {
  readonly clock: Clock;
  readonly loads: Pick<LoadRecorder, 'read'>;
  readonly findClient: (clientId: string) => ClientState | undefined;
  readonly simulate: (input: unknown) => Promise<FailoverSimulation>;
}

const usualSpanMs = 15 * 60_000;
/** Of reports whose interval is not told. */
const usualIntervalMs = 10_000;

/** How the requests of a client to a cluster should be split among localities, and how they are. */
export async function findLoadSplit(parts: LoadSplitParts, input: unknown): Promise<LoadSplit> {
  const { client, cluster, rules, from, to } = parseInput(splitQuery, input);
  const state = parts.findClient(client);
  if (state === undefined) throw notFound('Client', `no client has the id ${JSON.stringify(client)}`);
  const now = parts.clock.now();
  const end = to ?? now + 1;
  const isPast = to !== undefined && to < now;
  const at = isPast ? { at: formatIsoTime(end) } : {};
  const simulation = await parts.simulate({ client, cluster, seconds: 0, ...at });
  const asked = { from: from ?? end - usualSpanMs, to: end };
  const read = (span: LoadReadQuestion['span'], by: LoadReadQuestion['by']) =>
    parts.loads.read({ by, cluster, clientId: client, span, stepMs: null, measures: [], limit: 1_000 });

  const whole = await read(asked, 'cluster');
  const names = whole.groups.flatMap(({ key }) => [key.clusterServiceName ?? '', key.clusterName ?? '']);
  const changedAt = findChange(state, [cluster, ...names], end);
  const intervalMs = Math.max(0, ...whole.groups.map(({ totals }) => intervalOf(totals))) || usualIntervalMs;
  // A report tells of an interval that has passed: the first one after the change tells of before it, too.
  const begin = changedAt === null ? asked.from : Math.max(asked.from, changedAt + intervalMs);
  const { groups, span } = await read({ from: Math.min(begin, end - 1), to: end }, 'locality');
  const isIssuedTold = groups.every(({ totals }) => totals.issuedUnknown === 0);
  const measured = groups.map(({ key, totals: { issued, successful, errors } }) => ({
    name: formatLocality(key.locality ?? null),
    count: isIssuedTold ? Number(issued) : Number(successful) + Number(errors),
  }));
  return {
    ...{ clientId: client, cluster, rules },
    from: formatIsoTime(span.from),
    to: formatIsoTime(span.to),
    changedAt: formatIsoTimeOrNull(changedAt),
    counted: isIssuedTold ? 'issued' : 'ended',
    lines: compareSplit(expectedOf(simulation, rules), measured),
    notes: [...simulation.notes],
  };
}

function intervalOf({
  coveredUs,
  timedReports,
}: {
  coveredUs: number | bigint;
  timedReports: number | bigint;
}) {
  return Number(timedReports) === 0 ? 0 : Number(coveredUs) / 1_000 / Number(timedReports);
}

function expectedOf({ priorities, moments }: FailoverSimulation, rules: 'grpc' | 'envoy') {
  const shares = moments[0]?.[rules].localities ?? [];
  return priorities.flatMap(({ localities }, priority) =>
    localities.map(({ name }, locality) => ({ name, share: shares[priority]?.[locality] ?? 0 })),
  );
}

/** When what the client has of the cluster and its endpoints changed last, up to a moment. */
function findChange(client: ClientState, names: readonly string[], until: EpochMs): EpochMs | null {
  const keys = names.flatMap((name) => [CDS, EDS].map(({ typeUrl }) => resourceKey({ typeUrl, name })));
  const times = [...client.reports.values()]
    .filter(({ side }) => side === 'client')
    .flatMap(({ resources }) => keys.flatMap((key) => resources.get(key)?.changedAt ?? []))
    .filter((at) => at < until);
  return times.length === 0 ? null : Math.max(...times);
}
