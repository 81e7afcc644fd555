import type { ClientReport, ClientState } from '@/lib/observation/client-state';

/** Where reports of probes are looked for: all clients, now or as they were. */
export interface ProbeReports {
  readonly world: { get(clientId: string): ClientState | undefined };
  /** Clients that a source ever reported. */
  clientsOfSource(sourceId: string): Iterable<string>;
}

export interface ProbeReport {
  readonly client: ClientState;
  readonly report: ClientReport;
}

/** What a probe of ours holds, as a client; undefined: it has opened no stream yet. */
export function findProbeReport(live: ProbeReports, sourceId: string): ProbeReport | undefined {
  let newest: ProbeReport | undefined;
  // One that was started anew as another node was another client before.
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
