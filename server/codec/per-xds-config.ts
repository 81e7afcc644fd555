import type { AnyMessage, FailureMessage, ResourceMessage } from './decode-client-status';

const prefix = 'type.googleapis.com/';

/** One of the config dumps of envoy.admin.v3, reduced to what they all have. */
interface Dump {
  readonly typeUrl: string;
  /** Lists of resources, in the order in which they win over one another. */
  readonly lists: readonly (readonly [list: string, isStatic: boolean])[];
  /** The field of a list's item that holds the resource. */
  readonly resource: string;
}

const dumps: Readonly<Record<string, Dump>> = {
  listenerConfig: {
    typeUrl: `${prefix}envoy.config.listener.v3.Listener`,
    lists: [
      ['dynamicListeners', false],
      ['staticListeners', true],
    ],
    resource: 'listener',
  },
  clusterConfig: {
    typeUrl: `${prefix}envoy.config.cluster.v3.Cluster`,
    lists: [
      ['dynamicActiveClusters', false],
      ['dynamicWarmingClusters', false],
      ['staticClusters', true],
    ],
    resource: 'cluster',
  },
  routeConfig: {
    typeUrl: `${prefix}envoy.config.route.v3.RouteConfiguration`,
    lists: [
      ['dynamicRouteConfigs', false],
      ['staticRouteConfigs', true],
    ],
    resource: 'routeConfig',
  },
  scopedRouteConfig: {
    typeUrl: `${prefix}envoy.config.route.v3.ScopedRouteConfiguration`,
    lists: [
      ['dynamicScopedRouteConfigs', false],
      ['inlineScopedRouteConfigs', true],
    ],
    resource: 'scopedRouteConfigs',
  },
  endpointConfig: {
    typeUrl: `${prefix}envoy.config.endpoint.v3.ClusterLoadAssignment`,
    lists: [
      ['dynamicEndpointConfigs', false],
      ['staticEndpointConfigs', true],
    ],
    resource: 'endpointConfig',
  },
};

/** An item of a dump's list; a listener keeps its resource one level lower, in the state that it is in. */
interface DumpItem {
  name?: string;
  versionInfo?: string;
  lastUpdated?: ResourceMessage['lastUpdated'];
  errorState?: FailureMessage | null;
  clientStatus?: number;
  activeState?: DumpItem | null;
  warmingState?: DumpItem | null;
  drainingState?: DumpItem | null;
}

interface PerXdsConfigMessage {
  status?: number;
  clientStatus?: number;
}

/**
 * The deprecated `xds_config`: one dump a type. Each resource becomes what generic_xds_configs would have said. The
 * client's status is the resource's own where it tells one, else the type's (its first five values mean the same,
 * but for 2 to 4, which are one lower).
 */
export function readPerXdsConfigs(configs: readonly object[]): ResourceMessage[] {
  return configs.flatMap((config) => {
    const message: PerXdsConfigMessage = config;
    return Object.entries(dumps).flatMap(([field, dump]) => {
      const content: unknown = Reflect.get(config, field);
      return typeof content === 'object' && content !== null ? readDump(dump, content, message) : [];
    });
  });
}

function readDump(
  { typeUrl, lists, resource }: Dump,
  content: object,
  type: PerXdsConfigMessage,
): ResourceMessage[] {
  const { status: configStatus = 0 } = type;
  const typeStatus = clientStatusOfType[type.clientStatus ?? 0] ?? 0;
  const rows = lists.flatMap(([list, isStatic]) => {
    const items: unknown = Reflect.get(content, list);
    if (!Array.isArray(items)) return [];
    return items.flatMap((item: DumpItem): ResourceMessage[] => {
      const state = item.activeState ?? item.warmingState ?? item.drainingState ?? item;
      const held: unknown = Reflect.get(state, resource);
      const bodies: (AnyMessage | null)[] = Array.isArray(held)
        ? held
        : [(held as AnyMessage | null | undefined) ?? null];
      return bodies.map((body) => ({
        typeUrl,
        // A scope's name belongs to the group; the resources in it have their own.
        name: Array.isArray(held) ? '' : item.name,
        versionInfo: state.versionInfo,
        xdsConfig: body,
        lastUpdated: state.lastUpdated,
        configStatus,
        clientStatus: item.clientStatus || typeStatus,
        errorState: item.errorState,
        isStaticResource: isStatic,
      }));
    });
  });
  if (rows.length > 0 || (configStatus === 0 && typeStatus === 0)) return rows;
  // Istio marks a type by an empty dump: its status is of the whole type, which is a row without a name.
  return [{ typeUrl, name: '', configStatus, clientStatus: typeStatus }];
}

/** ClientConfigStatus (UNKNOWN, REQUESTED, ACKED, NACKED, RECEIVED_ERROR) as ClientResourceStatus. */
const clientStatusOfType = [0, 1, 3, 4, 5];
