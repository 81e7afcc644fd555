import { formatIsoTime } from '@/lib/format/iso-time';
import { formatLocality } from '@/lib/format/locality';
import type { SplitEpoch, SplitEpochs, SplitRules } from '@/lib/lb/find-split-epochs';
import { compareSplit } from '@/lib/load/compare-split';
import type { LoadGroup } from '@/lib/load/load-question';
import { sumSplits } from '@/lib/load/sum-splits';
import { resourceKey } from '@/lib/observation/client-state';
import type { ResourceRow } from '@/lib/observation/resource-row';
import type { FailoverSimulation } from '@/lib/views/failover/schema';
import type { LoadSplitQuery } from '@/lib/views/load/query';
import type { LoadSplit } from '@/lib/views/load/schema';
import { CDS, EDS } from '@/lib/xds/resource-type';
import type { EpochMs } from '@/lib/xds/units';
import type { LoadReadQuestion } from '../../live/load/load-jobs';
import type { LoadReader } from '../../live/load/load-reader';
import type { NewestMomentOf } from '../subjects/newest-moment';
import { type FindTime, spanOf } from './load-query';

export interface LoadSplitParts {
  readonly nowOf: NewestMomentOf;
  readonly loads: Pick<LoadReader, 'read'>;
  readonly findTime: FindTime;
  /** Finds the periods of the expected split until a time, by default until now. */
  readonly findEpochs: (question: EpochsQuestion) => Promise<EpochsFound>;
}

interface EpochsQuestion {
  readonly rules: SplitRules;
  readonly to: EpochMs | undefined;
  /** The cluster and the EDS service names under which its load was reported. */
  readonly names: readonly string[];
}

interface EpochsFound extends SplitEpochs {
  /** The log has more observations than are read: the newest part is missing. */
  readonly isCut?: boolean;
}

interface Measured {
  readonly from: EpochMs;
  readonly to: EpochMs;
  readonly expected: readonly { readonly name: string; readonly share: number }[];
  /** Absent: no report covers only this epoch. */
  readonly measuredFrom?: EpochMs | undefined;
  readonly groups: readonly { readonly name: string; readonly totals: LoadGroup['totals'] }[];
}

/** This interval is assumed for reports that do not state theirs. */
const usualIntervalMs = 10_000;
/** Load is read for the newest epochs only. */
const mostEpochs = 20;

/** Returns how the requests of a client to a cluster are split, and which split its configs imply. */
export async function findLoadSplit(
  parts: LoadSplitParts,
  query: LoadSplitQuery,
  signal?: AbortSignal,
): Promise<LoadSplit> {
  const { client, cluster, rules, by } = query;
  const now = parts.nowOf(client);
  const { isPast, ...range } = await spanOf(query, now, parts.findTime);
  const read = async (of: string, span: LoadReadQuestion['span'], grouping: LoadReadQuestion['by']) => {
    const question = {
      by: grouping,
      cluster: of,
      clientId: client,
      span,
      stepMs: null,
      measures: [],
      limit: 1_000,
    };
    return (await parts.loads.read(question, signal)).groups;
  };
  const whole = await read(cluster, range, 'cluster');
  const found = await parts.findEpochs({
    rules,
    to: isPast && range.to <= now ? range.to : undefined,
    names: [cluster, ...whole.flatMap(({ key }) => key.clusterServiceName || [])],
  });
  const unknown: SplitEpoch = { fromAt: Number.NEGATIVE_INFINITY, toAt: null, shares: [] };
  const epochs = (found.epochs.length === 0 ? [unknown] : found.epochs).filter(
    ({ fromAt, toAt }) => fromAt < range.to && (toAt ?? range.to) > range.from,
  );
  const leaves = [
    ...new Set([cluster, ...epochs.flatMap(({ shares }) => shares.map((each) => each.cluster))]),
  ];
  const reported =
    leaves.length === 1
      ? whole
      : (await Promise.all(leaves.map((leaf) => read(leaf, range, 'cluster')))).flat();
  const intervalMs = Math.max(0, ...reported.map(({ totals }) => intervalOf(totals))) || usualIntervalMs;
  const nameOf = (leaf: string, part: string) => (leaf === cluster ? part : `${leaf}: ${part}`);

  const measure = async ({ fromAt, toAt, shares }: SplitEpoch): Promise<Measured> => {
    const [from, to] = [Math.max(range.from, fromAt), Math.min(range.to, toAt ?? range.to)];
    // A report covers the interval before it, so the first one after a change also covers time before the change.
    const begin = Math.max(range.from, Math.ceil(fromAt + intervalMs));
    const epoch = {
      ...{ from, to },
      expected: shares.map((each) => ({ name: nameOf(each.cluster, each.name), share: each.share })),
    };
    if (begin >= to) return { ...epoch, measuredFrom: undefined, groups: [] };
    const ofLeaves = await Promise.all(
      leaves.map(async (leaf) =>
        (await read(leaf, { from: begin, to }, by)).map(({ key, totals }) => ({
          ...{ name: nameOf(leaf, key.address ?? formatLocality(key.locality ?? null)), totals },
        })),
      ),
    );
    return { ...epoch, measuredFrom: begin, groups: ofLeaves.flat() };
  };
  /** The beginning of the first epoch, if load was reported before it. */
  const findUnrecorded = async (): Promise<EpochMs | null> => {
    const [oldest] = found.epochs;
    // A report covers the interval before it.
    const to = oldest === undefined ? range.from : oldest.fromAt - intervalMs;
    if (oldest === undefined || to <= range.from) return null;
    const before = await Promise.all(leaves.map((leaf) => read(leaf, { from: range.from, to }, 'cluster')));
    return before.some((groups) => groups.length > 0) ? oldest.fromAt : null;
  };
  const measured = await Promise.all(epochs.slice(-mostEpochs).map(measure));
  const isIssuedReported = measured.every(({ groups }) =>
    groups.every(({ totals }) => totals.issuedUnknown === 0),
  );
  const counted = measured.map(({ groups, ...epoch }) => ({
    ...epoch,
    counts: groups.map(({ name, totals: { issued, successful, errors } }) => ({
      name,
      count: isIssuedReported ? Number(issued) : Number(successful) + Number(errors),
    })),
  }));
  const sum = sumSplits(counted);
  const unrecorded = await findUnrecorded();
  return {
    ...{ clientId: client, cluster, rules, by },
    ...{ from: range.from, to: range.to },
    counted: isIssuedReported ? 'issued' : 'ended',
    lines: compareSplit(sum.expected, sum.counts),
    epochs: counted.reverse().map(({ from, to, measuredFrom, expected, counts }) => ({
      ...{
        from,
        to,
        measuredFrom,
      },
      lines: compareSplit(expected, counts),
    })),
    earlierEpochs: Math.max(0, epochs.length - mostEpochs),
    notes: [
      ...found.notes,
      ...(unrecorded === null
        ? []
        : [
            `Requests before ${formatIsoTime(unrecorded)} are left out, because the config of then is not recorded.`,
          ]),
      ...(found.isCut === true
        ? ['The log has more observations than are read: the newest are missing.']
        : []),
    ],
  };
}

function intervalOf({ coveredUs, timedReports }: LoadGroup['totals']): number {
  return Number(timedReports) === 0 ? 0 : Number(coveredUs) / 1_000 / Number(timedReports);
}

/** Returns the one period that a snapshot has: since the newest change of the cluster or its endpoints. */
export function epochOfSnapshot(
  { priorities, moments, notes, envoyNotes }: FailoverSimulation,
  rules: SplitRules,
  changedAt: EpochMs | null,
): EpochsFound {
  const shares = moments[0]?.[rules].localities ?? [];
  const epoch: SplitEpoch = {
    ...{ fromAt: changedAt ?? Number.NEGATIVE_INFINITY, toAt: null },
    shares: priorities.flatMap(({ cluster, localities }, priority) =>
      localities.map(({ name }, at) => ({ cluster, name, share: shares[priority]?.[at] ?? 0 })),
    ),
  };
  return {
    epochs: moments.length === 0 ? [] : [epoch],
    notes: [...notes, ...(rules === 'envoy' ? envoyNotes : [])],
  };
}

/** Returns the newest change of these clusters and their endpoints by stored rows; null: none. */
export function findRowChange(rows: readonly ResourceRow[], names: readonly string[]): EpochMs | null {
  const keys = new Set(
    names.flatMap((name) => [CDS, EDS].map(({ typeUrl }) => resourceKey({ typeUrl, name }))),
  );
  const times = rows.filter((row) => keys.has(resourceKey(row))).map(({ changedAt }) => changedAt);
  return times.length === 0 ? null : Math.max(...times);
}
