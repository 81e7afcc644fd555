import type { Stage } from '@/lib/observation/effect-stage';
import { CDS, ECDS, EDS, LDS, RDS, SDS, SRDS } from '@/lib/xds/resource-type';
import type { FailureMessage, HeldMessage, ResourceMessage } from './resource-message';

/** A list of resources in one of the config dumps of envoy.admin.v3. */
export interface DumpList {
  readonly list: string;
  readonly isStatic: boolean;
  readonly isWarming: boolean;
}

export interface Dump {
  readonly typeUrl: string;
  /** Earlier lists take precedence. */
  readonly lists: readonly DumpList[];
  /** Name of the field of an item that holds the resource. */
  readonly resource: string;
}

const dynamic = (list: string): DumpList => ({ list, isStatic: false, isWarming: false });
const warming = (list: string): DumpList => ({ list, isStatic: false, isWarming: true });
const fixed = (list: string): DumpList => ({ list, isStatic: true, isWarming: false });

/** The key is the last part of the message name. */
export const dumps: ReadonlyMap<string, Dump> = new Map(
  Object.entries({
    ListenersConfigDump: {
      typeUrl: LDS.typeUrl,
      lists: [dynamic('dynamicListeners'), fixed('staticListeners')],
      resource: 'listener',
    },
    RoutesConfigDump: {
      typeUrl: RDS.typeUrl,
      lists: [dynamic('dynamicRouteConfigs'), fixed('staticRouteConfigs')],
      resource: 'routeConfig',
    },
    ScopedRoutesConfigDump: {
      typeUrl: SRDS.typeUrl,
      lists: [dynamic('dynamicScopedRouteConfigs'), fixed('inlineScopedRouteConfigs')],
      resource: 'scopedRouteConfigs',
    },
    ClustersConfigDump: {
      typeUrl: CDS.typeUrl,
      lists: [dynamic('dynamicActiveClusters'), warming('dynamicWarmingClusters'), fixed('staticClusters')],
      resource: 'cluster',
    },
    EndpointsConfigDump: {
      typeUrl: EDS.typeUrl,
      lists: [dynamic('dynamicEndpointConfigs'), fixed('staticEndpointConfigs')],
      resource: 'endpointConfig',
    },
    SecretsConfigDump: {
      typeUrl: SDS.typeUrl,
      lists: [dynamic('dynamicActiveSecrets'), warming('dynamicWarmingSecrets'), fixed('staticSecrets')],
      resource: 'secret',
    },
    EcdsConfigDump: {
      typeUrl: ECDS.typeUrl,
      lists: [dynamic('ecdsFilters')],
      resource: 'ecdsFilter',
    },
  }),
);

/** An item of a list in a dump. A listener contains its resource in a member for its state, one level below. */
export interface DumpItem {
  name?: string;
  versionInfo?: string;
  lastUpdated?: ResourceMessage['lastUpdated'];
  errorState?: FailureMessage | null;
  clientStatus?: number;
  activeState?: DumpItem | null;
  warmingState?: DumpItem | null;
  drainingState?: DumpItem | null;
}

/** Values for fields that the item lacks. */
export interface ItemContext {
  readonly configStatus: number;
  /** Returns a number of ClientResourceStatus. */
  readonly clientStatus: (item: DumpItem) => number;
  /** True if the stage of a resource in use is stated when the item has no client status, as in every dump of Envoy. */
  readonly hasStages?: true;
}

/** Returns the messages that GenericXdsConfig has for an item: several for a group of scoped routes, else one. */
export function readDumpItem(
  { typeUrl, resource }: Dump,
  { isStatic, isWarming }: DumpList,
  item: DumpItem,
  { configStatus, clientStatus, hasStages }: ItemContext,
): ResourceMessage[] {
  const states = statesOf(item, isWarming);
  const [first, ...others] = states;
  const state = first?.state ?? item;
  const stage = first?.stage ?? 'active';
  const held: unknown = Reflect.get(state, resource);
  const bodies: (ResourceMessage['xdsConfig'] | null)[] = Array.isArray(held) ? held : [held ?? null];
  return bodies.map((body) => ({
    typeUrl,
    // The name of an item with scoped routes is the name of the group.
    name: Array.isArray(held) ? '' : item.name,
    versionInfo: state.versionInfo,
    xdsConfig: body,
    lastUpdated: state.lastUpdated,
    configStatus,
    clientStatus: item.clientStatus || clientStatus(item),
    errorState: item.errorState,
    isStaticResource: isStatic,
    ...(!item.name && item.errorState && states.length === 0 && !body && { isErrorAlone: true }),
    ...((stage !== 'active' || (hasStages && !item.clientStatus)) && { stage }),
    ...(others.length > 0 && {
      others: others.map(
        (other): HeldMessage => ({
          stage: other.stage,
          versionInfo: other.state.versionInfo,
          lastUpdated: other.state.lastUpdated,
          xdsConfig: Reflect.get(other.state, resource),
        }),
      ),
    }),
  }));
}

/** The active state is first. */
function statesOf(item: DumpItem, isWarming: boolean): { stage: Stage; state: DumpItem }[] {
  const { activeState, warmingState, drainingState } = item;
  const states = [
    ...(activeState ? [{ stage: 'active' as const, state: activeState }] : []),
    ...(warmingState ? [{ stage: 'warming' as const, state: warmingState }] : []),
    ...(drainingState ? [{ stage: 'draining' as const, state: drainingState }] : []),
  ];
  return states.length === 0 && isWarming ? [{ stage: 'warming', state: item }] : states;
}

/** ClientResourceStatus: ACKED, NACKED. */
const [acked, nacked] = [3, 4];

/** In a dump, Envoy has accepted the resources that it holds; an item with an error state was rejected. */
export function contextInDump({ isStatic }: DumpList): ItemContext {
  return {
    configStatus: 0,
    hasStages: true,
    clientStatus: ({ errorState }) => (errorState ? nacked : isStatic ? 0 : acked),
  };
}

/** The types of the lists in a bootstrap's static_resources. */
export const staticResourceTypes: ReadonlyMap<string, string> = new Map([
  ['clusters', CDS.typeUrl],
  ['listeners', LDS.typeUrl],
  ['secrets', SDS.typeUrl],
]);
