import type { FilterChain, ListenerModel } from '../model/listener';
import type { ResourceKey } from '../observation/resource-state';
import { LDS } from '../xds/resource-type';
import type { ResourceStore } from './resource-store';

export interface ChainFailure {
  /** As in "every request is answered with 404: route configuration "web" does not exist". */
  readonly text: string;
  /** The resource of which nothing is in effect; absent if another part of the listener is the reason. */
  readonly by?: ResourceKey | undefined;
  /** No connection gets to the chain, so that no caller notices, unless no other chain takes the connection. */
  readonly isUnmatched?: true | undefined;
  /** Its connections or requests end before routes are read. */
  readonly isBeforeRoutes?: true | undefined;
}

/** Returns why no connection gets to the filters of a filter chain of an Envoy; undefined: one can. */
export function whyUnreached(
  chain: FilterChain,
  listener: ListenerModel,
  store: ResourceStore,
): ChainFailure | undefined {
  const { standstill } = store.failing;
  if (standstill !== undefined) return { text: standstill, isBeforeRoutes: true };
  return whyNoMatch(chain, listener) ?? whyNoConnection(chain.secrets, store);
}

function whyNoMatch({ port }: FilterChain, { ports, isUnbound }: ListenerModel): ChainFailure | undefined {
  if (port === undefined || ports === undefined || isUnbound || ports.includes(port)) return undefined;
  return {
    isUnmatched: true,
    text: `no connection matches it: the destination port must be ${port}, and the listener listens on ${ports.join(', ')}`,
  };
}

/** Returns why no connection gets to any filter chain of a listener; undefined: one can, or it is an API listener. */
export function whyNoChainMatches(listener: ListenerModel): string | undefined {
  if (listener.apiListener !== null) return undefined;
  const reasons = listener.filterChains.map((chain) => whyNoMatch(chain, listener));
  return reasons.every((each) => each !== undefined) ? reasons[0]?.text : undefined;
}

/** Envoy resets each connection to a filter chain as long as a secret of its transport socket has no payload. */
function whyNoConnection(secrets: readonly string[], store: ResourceStore): ChainFailure | undefined {
  const missing = store.findSecretWithoutEffect(secrets);
  return (
    missing && { text: `no connection is accepted: ${missing.text}`, by: missing.by, isBeforeRoutes: true }
  );
}

/** A file may lack the listener that hands connections over, so that it is in doubt that none does. MUTATES `dependsOn`. */
export function describeUnbound(name: string, store: ResourceStore, dependsOn: Set<string>): string[] {
  dependsOn.add(LDS.typeUrl);
  if (store.ofKind(LDS.typeUrl, 'listener').some(({ model }) => model.handsOver)) return [];
  return [
    `Listener "${name}" does not listen (bind_to_port is false): connections come only from a listener with use_original_dst, and none is reported.`,
  ];
}
