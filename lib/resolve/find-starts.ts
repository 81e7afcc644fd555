import { compareNames } from '../format/compare-names';
import type { ResourceModel } from '../model/parse-resource';
import { LDS, normaliseTypeUrl } from '../xds/resource-type';
import type { ClientStatus } from '../xds/status';
import type { ResolveRow } from './resource-store';

/** A listener that a resolution can begin with. */
export interface PossibleStart {
  readonly listener: string;
  /** unknown: its config was not reported, or is not there. */
  readonly kind: 'api' | 'server' | 'unknown';
  /** Of a server's listener; else empty. */
  readonly address: string;
  readonly clientStatus: ClientStatus;
}

/** What gRPC clients dial first; then servers' listeners; by name. */
export function findStarts(
  rows: Iterable<ResolveRow>,
  modelOf: (row: ResolveRow) => ResourceModel | undefined,
): PossibleStart[] {
  const starts: PossibleStart[] = [];
  for (const row of rows) {
    if (normaliseTypeUrl(row.typeUrl) !== LDS.typeUrl) continue;
    const model = modelOf(row);
    const listener = model?.kind === 'listener' ? model : undefined;
    const kind = listener === undefined ? 'unknown' : listener.apiListener === null ? 'server' : 'api';
    const { clientStatus, name } = row;
    starts.push({ listener: name, kind, address: listener?.address ?? '', clientStatus });
  }
  const rank = { api: 0, unknown: 1, server: 2 } as const;
  return starts.sort((a, b) => rank[a.kind] - rank[b.kind] || compareNames(a.listener, b.listener));
}
