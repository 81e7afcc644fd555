import { compareNames } from '../format/compare-names';
import type { ResourceModel } from '../model/parse-resource';
import { LDS, normaliseTypeUrl } from '../xds/resource-type';
import type { State } from '../xds/status';
import type { ResolveRow } from './resource-store';

export interface PossibleStart {
  readonly listener: string;
  /** `unknown`: the config was not reported or does not exist. */
  readonly kind: 'api' | 'server' | 'unknown';
  /** The address of a server's listener; else empty. */
  readonly address: string;
  readonly state: State;
}

/** Listeners that gRPC clients dial, then servers' listeners; each by name. */
export function findStarts(
  rows: Iterable<ResolveRow & { readonly state: State | null }>,
  modelOf: (row: ResolveRow) => ResourceModel | undefined,
): PossibleStart[] {
  const starts: PossibleStart[] = [];
  for (const row of rows) {
    const { state, name } = row;
    if (normaliseTypeUrl(row.typeUrl) !== LDS.typeUrl || state === null) continue;
    const model = modelOf(row);
    const listener = model?.kind === 'listener' ? model : undefined;
    const kind = listener === undefined ? 'unknown' : listener.apiListener === null ? 'server' : 'api';
    starts.push({ listener: name, kind, address: listener?.address ?? '', state });
  }
  const rank = { api: 0, unknown: 1, server: 2 } as const;
  return starts.sort((a, b) => rank[a.kind] - rank[b.kind] || compareNames(a.listener, b.listener));
}
