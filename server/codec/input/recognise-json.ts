import type protobuf from 'protobufjs';
import { resourceTypes } from '@/lib/xds/resource-type';
import type { JsonObject } from '../json/json-object';
import { encodeJson } from '../json/json-to-message';
import { planOf } from '../json/type-plan';
import { findMessageType, messageType } from '../root';

/**
 * Returns the only resource type that has all fields of an object without "@type". A name alone is not enough, nor is an
 * address, which other messages have as well.
 */
export function findTypeOfJson(json: JsonObject): protobuf.Type | undefined {
  const keys = Object.keys(json);
  if (keys.length === 0 || ['name', 'address'].includes(keys.join())) return undefined;
  const fitting = typesWith(keys);
  if (fitting.length < 2) return fitting[0];
  const exact = fitting.filter((type) => encodeJson(type, json).problems.length === 0);
  return exact.length === 1 ? exact[0] : undefined;
}

/** The types of resources that have all of these fields. Reads no more keys than it needs. */
export function typesWith(keys: Iterable<string>): protobuf.Type[] {
  let fitting = resourceTypes
    .map(({ typeUrl }) => findMessageType(typeUrl))
    .filter((type) => type !== undefined);
  for (const key of keys) {
    fitting = fitting.filter((type) => planOf(type).byJsonName.has(key));
    if (fitting.length === 0) break;
  }
  return fitting;
}

/** True if an object with these keys and without static resources is a bootstrap of Envoy. */
export function isBootstrap(keys: ReadonlySet<string>): boolean {
  if (!keys.has('admin') && !keys.has('dynamicResources')) return false;
  const { byJsonName } = planOf(messageType('envoy.config.bootstrap.v3.Bootstrap'));
  return [...keys].every((key) => byJsonName.has(key));
}
