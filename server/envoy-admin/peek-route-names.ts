import { WireCursor, type WireSpan } from '../codec/wire-cursor';
import { textUnder } from './peek-cluster-names';

/** Listener.filter_chains and default_filter_chain; FilterChain.filters; Filter.typed_config; Any; HttpConnectionManager.rds. */
const chains = [3, 25];
const [filters, typedConfig, typeUrl, value, rds, routeConfigName] = [3, 4, 1, 2, 3, 2];
const manager = /\.HttpConnectionManager$/;

/** Returns the names of the route configurations that an encoded envoy.config.listener.v3.Listener requests by RDS. */
export function peekRouteNames(listener: WireSpan): string[] {
  return chains.flatMap((chain) =>
    fieldsOf(listener, [chain, filters, typedConfig])
      .filter((any) => fieldsOf(any, [typeUrl]).some((url) => manager.test(textUnder(url))))
      .flatMap((any) => fieldsOf(any, [value, rds, routeConfigName]).map(textUnder)),
  );
}

/** The length-delimited values at a path of field numbers. */
function fieldsOf(span: WireSpan, [number, ...path]: readonly number[]): WireSpan[] {
  if (number === undefined) return [span];
  const found: WireSpan[] = [];
  const cursor = WireCursor.within(span);
  while (cursor.next()) {
    if (cursor.number !== number || cursor.wireType !== 2 || cursor.missingBytes > 0) continue;
    const { bytes, valueStart, fieldEnd } = cursor;
    found.push(...fieldsOf({ bytes, valueStart, fieldEnd }, path));
  }
  return found;
}
