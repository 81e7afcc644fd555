import { type Dump, type DumpItem, dumps, readDumpItem } from './dump-lists';
import type { ResourceMessage } from './resource-message';

/** The fields of PerXdsConfig and their dumps. */
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
 * Converts the deprecated `xds_config`, one dump per type, into the messages that generic_xds_configs would
 * have. A resource without a status of its own has that of its type.
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
  // Istio sends an empty dump with a status for a whole type, which becomes a row without a name.
  return [{ typeUrl: dump.typeUrl, name: '', configStatus, clientStatus: typeStatus }];
}

/** Converts ClientConfigStatus (UNKNOWN, REQUESTED, ACKED, NACKED, RECEIVED_ERROR) to ClientResourceStatus. */
export function clientStatusOfType(status: number): number {
  return [0, 1, 3, 4, 5][status] ?? 0;
}
