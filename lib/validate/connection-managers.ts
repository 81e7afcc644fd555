import { type Profile, profileSet, profilesOf } from '../xds/profile';
import { destinationsOf } from './address-ranges';
import type { Field } from './field';
import type { Side } from './http-filters';

export const connectionManager =
  'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';

interface ManagerPart {
  readonly field: Field;
  readonly side: Side;
  /** Clients that do not read a connection manager in this place. */
  readonly skippedBy: ReadonlySet<Profile>;
}

/** Filter chains of a socket listener; the default chain is the last. */
export function filterChainsOf(listener: Field): Field[] {
  const byDefault = listener.at('defaultFilterChain');
  return [...listener.at('filterChains').items(), ...(byDefault.exists ? [byDefault] : [])];
}

/** Only grpc-js-xds reads the filter chains of a listener that has an api_listener. */
export function skippersOfChains(listener: Field): ReadonlySet<Profile> {
  return listener.at('apiListener').exists ? profileSet('core', 'go', 'java') : new Set();
}

/**
 * gRFC A36: whether the chain can match no gRPC connection. grpc-go drops such a chain without reading it; the other
 * clients read it and then ignore it.
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
 * Values of the chains that grpc-go drops without reading them: those that can match nothing, and those without
 * transport protocol if for each of their destinations an earlier chain names raw_buffer.
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

/** An API listener has one connection manager; a socket listener has one for each HttpConnectionManager filter. */
export function connectionManagersOf(listener: Field): ManagerPart[] {
  const parts: ManagerPart[] = [];
  const api = listener.in('apiListener', 'apiListener');
  // Envoy accepts an API listener only from its bootstrap.
  if (isManager(api)) parts.push({ field: api, side: 'client', skippedBy: profileSet('envoy') });
  const dropped = chainsDroppedByGo(listener);
  for (const chain of filterChainsOf(listener)) {
    const skippedBy = new Set([
      ...skippersOfChains(listener),
      ...(dropped.has(chain.value) ? profilesOf('go') : []),
    ]);
    for (const [index, filter] of chain.at('filters').items().entries()) {
      const config = filter.at('typedConfig');
      const skippers = index === 0 ? skippedBy : new Set([...skippedBy, ...profilesOf('go')]);
      if (isManager(config)) parts.push({ field: config, side: 'server', skippedBy: skippers });
    }
  }
  return parts;
}

function isManager(config: Field): boolean {
  return config.typeName === connectionManager && config.unreadable === undefined && !config.isTypedStruct;
}
