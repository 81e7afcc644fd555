import { formatIsoTime } from '@/lib/format/iso-time';
import type { ClientReport, ClientState } from '@/lib/observation/client-state';
import { endedReportsKept } from '@/lib/observation/fold';
import type { EpochMs } from '@/lib/xds/units';
import type { Clock } from '../observe';
import type { LiveState } from './live-state';

export interface ForgetVanishedParts {
  readonly clock: Clock;
  readonly live: Pick<
    LiveState,
    'world' | 'sources' | 'sourceIds' | 'removedProbes' | 'observe' | 'forgetClient'
  >;
  /** Is it a source of this run, up or not? */
  readonly isSource: (sourceId: string) => boolean;
  /** How long the log keeps what was observed. */
  readonly maxAgeMs: number;
  /** The oldest observation that the log still has; null: there is none. Limits of size may be stricter than the age. */
  readonly oldestAt?: () => EpochMs | null;
}

const everyMs = 3_600_000;
/** Sources that are found (files of targets, DNS) are there by then. */
const firstAfterMs = 10 * 60_000;
const clientsPerTurn = 500;

/**
 * Clients come and go for as long as xdscope runs, and with them their addresses. Once an hour: what was reported by sources
 * that are no more is said to be over when it is older than the log, or when there are many newer such words; and of whom
 * no source reported for as long as the log keeps, is forgotten, as the log has forgotten it. Returns how to stop it.
 */
export function forgetVanished(parts: ForgetVanishedParts): () => void {
  const { clock } = parts;
  const startedAt = clock.now();
  let isStopped = false;
  let timer = clock.setTimeout(() => void round(), firstAfterMs);
  const round = async (): Promise<void> => {
    await forgetNow(parts, startedAt, () => isStopped);
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
  // What came in a file may be older than anything else, for as long as the file is imported.
  const isKept = (id: string) =>
    isSource(id) ||
    isSource(live.sources.findFile(id) ?? '') ||
    reporting.has(id) ||
    live.removedProbes.has(id);
  live.sources.dropBefore(oldest, isKept);
}

/** Reports that nobody ended and nobody will, old ones or too many. */
function findLost(
  { reports }: ClientState,
  isSource: (sourceId: string) => boolean,
  oldest: EpochMs,
): ClientReport[] {
  const left = [...reports.values()].filter((report) => isOver(report, isSource));
  left.sort((a, b) => b.lastChangedAt - a.lastChangedAt);
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

/** Files are kept for as long as they are imported. */
function isOver(
  { goneAt, vantage, sourceId }: ClientReport,
  isSource: (sourceId: string) => boolean,
): boolean {
  return vantage !== 'dump' && (goneAt !== null || !isSource(sourceId));
}
