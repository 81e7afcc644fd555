import { by, inTurn } from '../collections/compare';
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

/**
 * Listeners that gRPC clients dial, then servers' listeners; each by name. Last those that do not exist: a rejected one
 * without an earlier version, and a deleted one.
 */
export function findStarts(
  rows: Iterable<ResolveRow & { readonly state: State | null }>,
  modelOf: (row: ResolveRow) => ResourceModel | undefined,
): PossibleStart[] {
  const starts: (PossibleStart & { readonly rank: number })[] = [];
  for (const row of rows) {
    const { state, name, clientStatus } = row;
    if (normaliseTypeUrl(row.typeUrl) !== LDS.typeUrl || state === null) continue;
    const model = modelOf(row);
    const listener = model?.kind === 'listener' ? model : undefined;
    const kind = listener === undefined ? 'unknown' : listener.apiListener === null ? 'server' : 'api';
    const isAbsent =
      listener === undefined && (clientStatus === 'NACKED' || clientStatus === 'DOES_NOT_EXIST');
    const rank = isAbsent ? 3 : { api: 0, unknown: 1, server: 2 }[kind];
    starts.push({ listener: name, kind, address: listener?.address ?? '', state, rank });
  }
  return starts
    .sort(
      inTurn(
        by(({ rank }) => rank),
        by(({ listener }) => listener, compareNames),
      ),
    )
    .map(({ rank, ...start }) => start);
}

/** Envoy ACKs an API listener over LDS and ignores it. */
export function startsOfEnvoy(starts: readonly PossibleStart[]): PossibleStart[] {
  return starts.filter(({ kind }) => kind !== 'api');
}

/** Several listeners can have no name, so that none of them is a start by default; undefined if there are no others. */
export function defaultStart(starts: readonly PossibleStart[]): string | undefined {
  return starts.find(({ listener }) => listener !== '')?.listener;
}
