import { type Dump, type DumpItem, dumps, readDumpItem } from './dump-lists';
import type { ResourceMessage } from './resource-message';

/** A field of PerXdsConfig, and the dump in it. */
export const dumpsOfFields: readonly (readonly [field: string, dump: string])[] = [
  ['listenerConfig', 'ListenersConfigDump'],
  ['clusterConfig', 'ClustersConfigDump'],
  ['routeConfig', 'RoutesConfigDump'],
  ['scopedRouteConfig', 'ScopedRoutesConfigDump'],
  ['endpointConfig', 'EndpointsConfigDump'],
];

interface PerXdsConfigMessage {
  status?: number;
  clientStatus?: number;
}

/**
 * The deprecated `xds_config`: one dump a type. Each resource becomes what generic_xds_configs would have said. The
 * client's status is the resource's own where it reports one, else the type's (its first five values mean the same,
 * but for 2 to 4, which are one lower).
 */
export function readPerXdsConfigs(configs: readonly object[]): ResourceMessage[] {
  return configs.flatMap((config) => {
    const message: PerXdsConfigMessage = config;
    return dumpsOfFields.flatMap(([field, name]) => {
      const content: unknown = Reflect.get(config, field);
      const dump = dumps.get(name);
      if (dump === undefined || typeof content !== 'object' || content === null) return [];
      return readDump(dump, content, message);
    });
  });
}

function readDump(dump: Dump, content: object, type: PerXdsConfigMessage): ResourceMessage[] {
  const { status: configStatus = 0 } = type;
  const typeStatus = clientStatusOfType(type.clientStatus ?? 0);
  const rows = dump.lists.flatMap((list) => {
    const items: unknown = Reflect.get(content, list.list);
    if (!Array.isArray(items)) return [];
    return items.flatMap((item: DumpItem) =>
      readDumpItem(dump, list, item, { configStatus, clientStatus: () => typeStatus }),
    );
  });
  if (rows.length > 0 || (configStatus === 0 && typeStatus === 0)) return rows;
  // Istio marks a type by an empty dump: its status is of the whole type, which is a row without a name.
  return [{ typeUrl: dump.typeUrl, name: '', configStatus, clientStatus: typeStatus }];
}

/** ClientConfigStatus (UNKNOWN, REQUESTED, ACKED, NACKED, RECEIVED_ERROR) as ClientResourceStatus. */
export function clientStatusOfType(status: number): number {
  return [0, 1, 3, 4, 5][status] ?? 0;
}
