import { destinationsOf } from './address-ranges';
import type { Field } from './field';
import type { Side } from './http-filters';
import type { Profile } from './profile';

export const connectionManager =
  'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';

/** An HttpConnectionManager with its place in the listener. */
export interface ManagerPart {
  readonly field: Field;
  readonly side: Side;
  /** Clients that do not look at it in this place. */
  readonly skippedBy: ReadonlySet<Profile>;
}

/** A socket listener's chains with the default one last. */
export function filterChainsOf(listener: Field): Field[] {
  const byDefault = listener.at('defaultFilterChain');
  return [...listener.at('filterChains').items(), ...(byDefault.exists ? [byDefault] : [])];
}

/** Only grpc-js-xds looks at the filter chains of a listener that has an api_listener. */
export function skippersOfChains(listener: Field): ReadonlySet<Profile> {
  return new Set(listener.at('apiListener').exists ? (['core', 'go', 'java'] as const) : []);
}

/**
 * gRFC A36: such a chain can match no gRPC connection. grpc-go drops it unread; the others read it and then leave it.
 */
export function cannotMatch(chain: Field): boolean {
  const match = chain.at('filterChainMatch');
  return (
    match.at('destinationPort').numberOr(0) !== 0 ||
    match.at('serverNames').items().length > 0 ||
    match.at('applicationProtocols').items().length > 0 ||
    !['', 'raw_buffer'].includes(match.at('transportProtocol').text)
  );
}

/**
 * The chains, as their values, that grpc-go drops unread: those that can match nothing, and those that name no protocol
 * where all their destinations have a chain before them that names raw_buffer.
 */
export function chainsDroppedByGo(listener: Field): ReadonlySet<unknown> {
  const dropped = new Set<unknown>();
  const raw = new Set<string>();
  for (const chain of listener.at('filterChains').items()) {
    const match = chain.at('filterChainMatch');
    const destinations = destinationsOf(match);
    if (cannotMatch(chain)) dropped.add(chain.value);
    else if (match.at('transportProtocol').text === 'raw_buffer')
      for (const destination of destinations) raw.add(destination);
    else if (destinations.every((destination) => raw.has(destination))) dropped.add(chain.value);
  }
  return dropped;
}

/** Of an API listener its one; of a socket listener one for every filter that is one. */
export function connectionManagersOf(listener: Field): ManagerPart[] {
  const parts: ManagerPart[] = [];
  const api = listener.in('apiListener', 'apiListener');
  // Envoy takes an API listener from its bootstrap alone.
  if (isManager(api)) parts.push({ field: api, side: 'client', skippedBy: new Set(['envoy']) });
  const dropped = chainsDroppedByGo(listener);
  for (const chain of filterChainsOf(listener)) {
    const skippedBy = new Set(skippersOfChains(listener));
    if (dropped.has(chain.value)) skippedBy.add('go');
    for (const filter of chain.at('filters').items()) {
      const config = filter.at('typedConfig');
      if (isManager(config)) parts.push({ field: config, side: 'server', skippedBy });
    }
  }
  return parts;
}

function isManager(config: Field): boolean {
  return config.typeName === connectionManager && config.unreadable === undefined && !config.isTypedStruct;
}
