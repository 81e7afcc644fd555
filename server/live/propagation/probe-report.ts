import type { ClientReport, ClientState } from '@/lib/observation/client-state';

/** All clients, now or at a time, for a search of the reports of probes. */
export interface ProbeReports {
  readonly world: { get(clientId: string): ClientState | undefined };
  /** The clients that a source has ever reported. */
  clientsOfSource(sourceId: string): Iterable<string>;
}

export interface ProbeReport {
  readonly client: ClientState;
  readonly report: ClientReport;
}

/** Returns the report of a probe on itself, or undefined if it has opened no stream yet. */
export function findProbeReport(live: ProbeReports, sourceId: string): ProbeReport | undefined {
  let newest: ProbeReport | undefined;
  // A probe that was restarted with another node id was another client before.
  for (const clientId of live.clientsOfSource(sourceId)) {
    const client = live.world.get(clientId);
    const report = client?.reports.get(sourceId);
    if (client === undefined || report === undefined) continue;
    if (newest === undefined || report.lastChangedAt > newest.report.lastChangedAt) {
      newest = { client, report };
    }
  }
  return newest;
}
