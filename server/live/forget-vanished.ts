import { byDescending } from '@/lib/collections/compare';
import { formatIsoTime } from '@/lib/format/iso-time';
import type { ClientReport, ClientState } from '@/lib/observation/client-state';
import { endedReportsKept } from '@/lib/observation/fold';
import type { EpochMs } from '@/lib/xds/units';
import type { Clock } from '../observe';
import type { LiveState } from './live-state';

interface ForgetVanishedParts {
  readonly clock: Clock;
  readonly live: Pick<
    LiveState,
    'world' | 'sources' | 'sourceIds' | 'removedProbes' | 'observe' | 'forgetClient'
  >;
  /** Returns whether the source exists in this run, whatever its state. */
  readonly isSource: (sourceId: string) => boolean;
  readonly maxAgeMs: number;
  /** Returns true if all clients are in the live state. */
  readonly mayForget: () => boolean;
  /** Returns the time of the oldest observation in the log, which a limit of size may shorten; undefined if it is empty. */
  readonly oldestAt?: () => EpochMs | undefined;
}

const everyMs = 3_600_000;
/** Sources that are discovered (target files, DNS) exist by then. */
const firstAfterMs = 10 * 60_000;
const clientsPerTurn = 500;

/**
 * Once an hour, ends reports of sources that no longer exist if they are older than the log or too many, and
 * evicts clients that no source has reported for as long as the log keeps observations. Returns a function
 * that stops it.
 */
export function forgetVanished(parts: ForgetVanishedParts): () => void {
  const { clock } = parts;
  const startedAt = clock.now();
  let isStopped = false;
  let timer = clock.setTimeout(() => void round(), firstAfterMs);
  const round = async (): Promise<void> => {
    if (parts.mayForget()) await forgetNow(parts, startedAt, () => isStopped);
    if (!isStopped) timer = clock.setTimeout(() => void round(), everyMs);
  };
  return () => {
    isStopped = true;
    timer.cancel();
  };
}

async function forgetNow(
  { clock, live, isSource, maxAgeMs, oldestAt }: ForgetVanishedParts,
  startedAt: EpochMs,
  isStopped: () => boolean,
): Promise<void> {
  let turn = 0;
  for (const client of [...live.world.values()]) {
    if (++turn % clientsPerTurn === 0) await new Promise(setImmediate);
    if (isStopped()) return;
    const oldest = Math.max(clock.now() - maxAgeMs, oldestAt?.() ?? Number.NEGATIVE_INFINITY);
    for (const report of findLost(client, isSource, oldest)) {
      const { sourceId, vantage, side } = report;
      const reason = `${sourceId} is no source of xdscope since ${formatIsoTime(startedAt)} or before`;
      const base = { at: clock.now(), vantage, sourceId, clientId: client.clientId };
      live.observe({ observation: { ...base, kind: 'client-gone', side, reason }, bodies: [] });
    }
    if (isVanished(client, isSource, oldest)) live.forgetClient(client.clientId);
  }
  const reporting = new Set(live.sourceIds());
  const oldest = Math.max(clock.now() - maxAgeMs, oldestAt?.() ?? Number.NEGATIVE_INFINITY);
  // Clients of a file may be older than the log; they are kept as long as the file is imported.
  const isKept = (id: string) =>
    isSource(id) ||
    isSource(live.sources.findFile(id) ?? '') ||
    reporting.has(id) ||
    live.removedProbes.has(id);
  live.sources.dropBefore(oldest, isKept);
}

/** Returns the reports of sources that no longer exist, if they are too old or too many. */
function findLost(
  { reports }: ClientState,
  isSource: (sourceId: string) => boolean,
  oldest: EpochMs,
): ClientReport[] {
  const left = [...reports.values()].filter((report) => isOver(report, isSource));
  left.sort(byDescending(({ lastChangedAt }) => lastChangedAt));
  return left.filter(
    ({ goneAt, lastChangedAt }, index) =>
      goneAt === null && (lastChangedAt < oldest || index >= endedReportsKept),
  );
}

function isVanished(
  { reports }: ClientState,
  isSource: (sourceId: string) => boolean,
  oldest: EpochMs,
): boolean {
  return [...reports.values()].every(
    (report) => isOver(report, isSource) && Math.max(report.goneAt ?? 0, report.lastChangedAt) < oldest,
  );
}

/** Clients of files are kept as long as the file is imported. */
function isOver(
  { goneAt, vantage, sourceId }: ClientReport,
  isSource: (sourceId: string) => boolean,
): boolean {
  return vantage !== 'dump' && (goneAt !== null || !isSource(sourceId));
}
