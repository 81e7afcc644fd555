import { by } from '../collections/compare';
import { type ClientReport, resourceKey } from '../observation/client-state';
import type { World } from '../observation/fold';
import type { Observation } from '../observation/observation';
import type { ResourceKey } from '../observation/resource-state';
import { isPolledVantage } from '../observation/vantage';

/** The body of a resource at a version, as another source than the rejecting client reports it. */
export interface SentBody {
  readonly hash: string;
  readonly clientId: string;
  readonly vantage: ClientReport['vantage'];
  readonly side: ClientReport['side'];
}

export interface WantedBody extends ResourceKey {
  readonly versionInfo: string;
  readonly clientId: string;
}

/** Finds a body in the current state: the control plane's report on the client first, then reports of other clients. */
export function findHeldBody(world: World, wanted: WantedBody): SentBody | undefined {
  const own = world.get(wanted.clientId);
  const others = [...world.values()].filter(({ clientId }) => clientId !== wanted.clientId);
  for (const client of own === undefined ? others : [own, ...others]) {
    const reports = [...client.reports.values()].sort(by(rankOf));
    for (const { resources, vantage, side } of reports) {
      const row = resources.get(resourceKey(wanted));
      // A client that rejects a resource reports the body that it had accepted before.
      if (row === undefined || row.hash === null || row.versionInfo !== wanted.versionInfo) continue;
      if (side === 'client' && row.clientStatus !== 'ACKED') continue;
      return { hash: row.hash, clientId: client.clientId, vantage, side };
    }
  }
  return undefined;
}

function rankOf({ side, vantage }: ClientReport): number {
  return side === 'control-plane' ? 0 : isPolledVantage(vantage) ? 2 : 1;
}

/** Finds the body in an observation; undefined if it does not contain it. */
export function findReportedBody(observation: Observation, wanted: WantedBody): SentBody | undefined {
  if (observation.kind === 'response-received') {
    const { typeUrl, versionInfo, clientId, vantage } = observation;
    if (typeUrl !== wanted.typeUrl || versionInfo !== wanted.versionInfo) return undefined;
    const found = observation.resources.find(({ name }) => name === wanted.name);
    return found && { hash: found.hash, clientId, vantage, side: 'client' };
  }
  if (observation.kind !== 'client-config-changed') return undefined;
  const { clientId, vantage, side } = observation;
  const found = observation.changed.find(
    (row) =>
      row.name === wanted.name &&
      row.typeUrl === wanted.typeUrl &&
      row.versionInfo === wanted.versionInfo &&
      row.hash !== null &&
      (side === 'control-plane' || row.clientStatus === 'ACKED'),
  );
  return found?.hash == null ? undefined : { hash: found.hash, clientId, vantage, side };
}
