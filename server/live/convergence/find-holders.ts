import type { ConvergenceFact } from '@/lib/convergence/convergence-fact';
import { factOfRow } from '@/lib/convergence/read-facts';
import { type ClientReport, resourceKey } from '@/lib/observation/client-state';
import type { World } from '@/lib/observation/fold';
import { isPolledVantage, reportsResources } from '@/lib/observation/vantage';

import type { FreshnessOf } from '@/lib/views/client/choose-report';
import type { EpochMs } from '@/lib/xds/units';

interface HolderQuestion {
  readonly typeUrl: string;
  readonly names: readonly string[];
  /** The sources that observed the push, or null for any. A client of only other sources uses another server. */
  readonly sourceIds: readonly string[];
  /** Several servers send the same version, so the server of a polled client is not known. */
  readonly withoutPolled: boolean;
  /** Clients for which the result also states whether a source still reports them. */
  readonly clientIds: readonly string[];
  /** null if the question is about the past, for which the current state of the sources has no meaning. */
  readonly now: EpochMs | null;
}

interface Holders {
  readonly facts: readonly ConvergenceFact[];
  /** Clients that hold or request one of the resources. */
  readonly clientIds: readonly string[];
}

/** Returns the current state of the clients that hold a resource, which covers what the log no longer contains. */
export function findHolders(world: World, freshnessOf: FreshnessOf, question: HolderQuestion): Holders {
  const { typeUrl, names } = question;
  const keys = names.map((name) => resourceKey({ typeUrl, name }));
  const requested = new Set(question.clientIds);
  const facts: ConvergenceFact[] = [];
  const clientIds: string[] = [];
  for (const { clientId, reports } of world.values()) {
    let holds = false;
    for (const report of reports.values()) {
      if (!isAbout(report, question)) continue;
      const who = { clientId, sourceId: report.sourceId, vantage: report.vantage };
      for (const key of keys) {
        const row = report.resources.get(key);
        if (row === undefined) continue;
        holds = true;
        facts.push(factOfRow(who, row));
      }
    }
    if (holds) clientIds.push(clientId);
    if (!holds && !requested.has(clientId)) continue;
    const gone = endFact(clientId, [...reports.values()], freshnessOf, question.now);
    if (gone !== undefined) facts.push(gone);
  }
  return { facts, clientIds };
}

function isAbout(report: ClientReport, { sourceIds, withoutPolled }: HolderQuestion): boolean {
  if (report.side !== 'client' || report.vantage === 'dump' || !reportsResources(report)) return false;
  if (isPolledVantage(report.vantage)) return !withoutPolled;
  return sourceIds.length === 0 || sourceIds.includes(report.sourceId);
}

/** Returns the time at which the last source ceased to report the client. */
function endFact(
  clientId: string,
  reports: readonly ClientReport[],
  freshnessOf: FreshnessOf,
  now: EpochMs | null,
): ConvergenceFact | undefined {
  let newest: { at: EpochMs; text: string; vantage: ClientReport['vantage'] } | undefined;
  for (const report of reports) {
    if (report.side !== 'client' || !reportsResources(report)) continue;
    const { freshness, reason, lastSeenAt } = freshnessOf(report, clientId);
    if (report.goneAt === null && (now === null || freshness === 'live')) return undefined;
    const at = report.goneAt ?? lastSeenAt ?? report.lastChangedAt;
    if (newest === undefined || at > newest.at)
      newest = { at, text: report.goneReason || reason, vantage: report.vantage };
  }
  if (newest === undefined) return undefined;
  return {
    ...{ what: 'gone', seq: 0, clientId, sourceId: '', typeUrl: '', name: null, version: '', hash: null },
    isInEffect: false,
    isFromControlPlane: false,
    ...{ server: null, address: null, nonceKey: null, ...newest },
  };
}
