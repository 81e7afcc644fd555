import { hostHealthTypeUrl } from '@/lib/model/host-health';
import { camelCase } from '../json/camel-case';
import { isJsonObject, type JsonObject } from '../json/json-object';
import { findEndpointHealth } from './endpoint-health';
import { ownReader, type ReadJson } from './json-elements';
import { readHosts } from './read-hosts';
import { readListeners } from './read-listeners';

/** Fields of an envoy.admin.v3.ClusterStatus that change without being news. */
export const hostCounters: readonly string[] = ['stats', 'successRate', 'localOriginSuccessRate'];

/** Reads a cluster of /clusters: a row of its own type, which has no counters, and its hosts. */
export const readClusterStatus: ReadJson = (json, place) => {
  const name = isJsonObject(json) ? findMember(json, 'name') : undefined;
  const read = ownReader(hostHealthTypeUrl, typeof name === 'string' ? name : '', { isStaticResource: true });
  const { hosts } = readHosts([json]);
  const { health } = findEndpointHealth([json]);
  return { ...read(without(json, hostCounters), place), sockets: { hosts, listeners: [], health } };
};

/** Reads a listener of /listeners, which is not a resource. */
export const readListenerStatus: ReadJson = (json) => {
  const listeners = readListeners({ listenerStatuses: [json] });
  return { messages: [], problems: [], sockets: { hosts: [], listeners, health: new Map() } };
};

export function findMember(json: JsonObject, name: string): unknown {
  return Object.entries(json).find(([key]) => camelCase(key) === name)?.[1];
}

/** Returns a copy without members of these names, at any depth. */
export function without(json: unknown, names: readonly string[]): unknown {
  if (names.length === 0) return json;
  if (Array.isArray(json)) return json.map((item) => without(item, names));
  if (!isJsonObject(json)) return json;
  return Object.fromEntries(
    Object.entries(json)
      .filter(([key]) => !names.includes(camelCase(key)))
      .map(([key, value]) => [key, without(value, names)]),
  );
}
