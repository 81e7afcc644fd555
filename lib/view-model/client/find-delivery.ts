import { type ClientReport, type ClientState, resourceKey } from '../../observation/client-state';
import type { DeclaredSource } from '../../observation/observation';
import type { Delivery } from '../../observation/resource-row';
import type { ResourceState } from '../../observation/resource-state';
import { findOriginalVantage } from '../../observation/vantage';
import { parseResourceName } from '../../xds/resource-name';
import type { FreshnessOf } from './choose-report';

/** `answering`: the report with the client's answer. */
export type FindDelivery = (state: ResourceState, answering: ClientReport) => Delivery | undefined;

/**
 * Finds the management servers that delivered the resources of a client. The source of a tap or probe knows them: that of
 * the answer, or else one beside it that has recorded the same payload.
 */
export function deliveryFinder({ clientId, reports }: ClientState, freshnessOf: FreshnessOf): FindDelivery {
  const sourceOf = (report: ClientReport) => freshnessOf(report, clientId).source;
  const streams = [...reports.values()].filter(isOfStreams);
  return (state, answering) => {
    const from = isOfStreams(answering) ? answering : findRecorded(streams, state);
    const source = from && sourceOf(from);
    return source && findServers(source, authorityOf(state.name));
  };
}

function isOfStreams(report: ClientReport): boolean {
  const vantage = findOriginalVantage(report);
  return vantage === 'tap' || vantage === 'probe';
}

/** The report that has accepted the payload last. */
function findRecorded(streams: readonly ClientReport[], state: ResourceState): ClientReport | undefined {
  let found: { readonly report: ClientReport; readonly at: number } | undefined;
  for (const report of streams) {
    const { hash, lastUpdated } = report.resources.get(resourceKey(state)) ?? {
      hash: null,
      lastUpdated: null,
    };
    const at = lastUpdated ?? 0;
    if (hash !== null && hash === state.hash && at >= (found?.at ?? 0)) found = { report, at };
  }
  return found?.report;
}

/** One object for each authority of a source: rows are compared by identity, and there may be 100,000 of them. */
const known = new WeakMap<DeclaredSource, Map<string | null, Delivery | undefined>>();

function findServers(source: DeclaredSource, authority: string | null): Delivery | undefined {
  let found = known.get(source);
  if (found === undefined) {
    found = new Map();
    known.set(source, found);
  }
  if (!found.has(authority)) found.set(authority, readServers(source, authority));
  return found.get(authority);
}

function readServers(
  { server, authorities }: DeclaredSource,
  authority: string | null,
): Delivery | undefined {
  // A tap relays every authority to one server, and so does a probe with a single server.
  if (authorities === undefined) return server === undefined ? undefined : { authority, servers: [server] };
  const servers = authorities.find((each) => each.authority === authority)?.servers;
  return servers && { authority, servers };
}

/** gRFC A47: old-style names, and names that are not valid, belong to no authority. */
function authorityOf(name: string): string | null {
  const parsed = parseResourceName(name);
  return parsed.ok && parsed.name.kind === 'xdstp' ? parsed.name.authority : null;
}
