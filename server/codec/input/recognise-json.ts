import type protobuf from 'protobufjs';
import { resourceTypes } from '@/lib/xds/resource-type';
import type { JsonObject } from '../json/json-object';
import { encodeJson } from '../json/json-to-message';
import { planOf } from '../json/type-plan';
import { findMessageType } from '../root';
import { isObject } from './collect-json';

/** The container that an object without "@type" is, by the fields that only it has; undefined when it is none. */
export function findContainerOfJson(json: JsonObject): string | undefined {
  const has = (...keys: string[]): boolean => keys.some((key) => key in json);
  if (Array.isArray(json.configs)) return 'envoy.admin.v3.ConfigDump';
  if (has('genericXdsConfigs', 'generic_xds_configs', 'xdsConfig', 'xds_config') && !has('@type')) {
    return 'envoy.service.status.v3.ClientConfig';
  }
  if (Array.isArray(json.config) && json.config.every(isObject)) {
    return 'envoy.service.status.v3.ClientStatusResponse';
  }
  if (has('staticResources', 'static_resources', 'dynamicResources', 'dynamic_resources')) {
    return 'envoy.config.bootstrap.v3.Bootstrap';
  }
  if (has('removedResources', 'removed_resources', 'systemVersionInfo', 'system_version_info')) {
    return 'envoy.service.discovery.v3.DeltaDiscoveryResponse';
  }
  if (!Array.isArray(json.resources)) return undefined;
  const isDelta = json.resources.some(
    (item) => isObject(item) && isObject(item.resource) && !('@type' in item),
  );
  return `envoy.service.discovery.v3.${isDelta ? 'Delta' : ''}DiscoveryResponse`;
}

/**
 * The resource type that an object without "@type" must be of: the only one that has all its fields. A name alone is
 * no sign.
 */
export function findTypeOfJson(json: JsonObject): protobuf.Type | undefined {
  const keys = Object.keys(json);
  if (keys.length === 0 || keys.every((key) => key === 'name')) return undefined;
  const fitting = resourceTypes
    .map(({ typeUrl }) => findMessageType(typeUrl))
    .filter((type) => type !== undefined)
    .filter((type) => keys.every((key) => planOf(type).byJsonName.has(key)));
  if (fitting.length < 2) return fitting[0];
  const exact = fitting.filter((type) => encodeJson(type, json).problems.length === 0);
  return exact.length === 1 ? exact[0] : undefined;
}
