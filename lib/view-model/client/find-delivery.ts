import type { ClientReport } from '../../observation/client-state';
import type { Delivery } from '../../observation/resource-row';
import { findOriginalVantage } from '../../observation/vantage';
import { parseResourceName } from '../../xds/resource-name';
import type { FreshnessOf } from './choose-report';

export type FindDelivery = (report: ClientReport, name: string) => Delivery | undefined;

/**
 * Finds the management servers that delivered the resources of a report, which the source of a tap or probe declares. The
 * answer is the same object for each authority, because there may be 100,000 rows.
 */
export function deliveryFinder(clientId: string, freshnessOf: FreshnessOf): FindDelivery {
  const byReport = new Map<ClientReport, (authority: string | null) => Delivery | undefined>();
  return (report, name) => {
    let find = byReport.get(report);
    if (find === undefined) {
      find = ofReport(report, clientId, freshnessOf);
      byReport.set(report, find);
    }
    return find(authorityOf(name));
  };
}

function ofReport(report: ClientReport, clientId: string, freshnessOf: FreshnessOf) {
  const vantage = findOriginalVantage(report);
  const { source } = freshnessOf(report, clientId);
  if ((vantage !== 'tap' && vantage !== 'probe') || source?.server === undefined) return () => undefined;
  const { server, authorities = [{ authority: null, servers: [server] }] } = source;
  const found = new Map<string | null, Delivery | undefined>();
  return (authority: string | null): Delivery | undefined => {
    if (found.has(authority)) return found.get(authority);
    // A tap relays every authority to one server.
    const named = source.authorities === undefined ? null : authority;
    const servers = authorities.find((each) => each.authority === named)?.servers;
    const delivery = servers === undefined ? undefined : { authority, servers };
    found.set(authority, delivery);
    return delivery;
  };
}

/** gRFC A47: old-style names, and names that are not valid, belong to no authority. */
function authorityOf(name: string): string | null {
  const parsed = parseResourceName(name);
  return parsed.ok && parsed.name.kind === 'xdstp' ? parsed.name.authority : null;
}
