import { findProxyName } from '@/lib/xds/istio-node';
import { anyOf, encode, type NodeMessage, timestampOf } from './discovery-messages';
import type { TypeNonces } from './nonce-index';
import type { TypeDeliveries } from './type-deliveries';

/**
 * istiod's debug types are defined in its public source (pilot/pkg/xds: statusgen.go, debuggen.go). They are requested
 * on ADS like any type, answered immediately and each time, never pushed, and never acknowledged.
 */
const debugType = 'istio.io/debug';
const syncType = `${debugType}/syncz`;
const dumpType = `${debugType}/config_dump`;

export function isDebugType(typeUrl: string): boolean {
  return typeUrl === debugType || typeUrl.startsWith(`${debugType}/`);
}

export function isDebugPage(typeUrl: string): boolean {
  return typeUrl === debugType;
}

/** A stream with a subscription. A stream that requests only debug types is not a proxy. */
export interface ConnectedProxy {
  readonly node: NodeMessage;
  readonly number: number;
  readonly types: readonly TypeDeliveries[];
}

interface Any {
  readonly type_url: string;
  readonly value: Uint8Array;
}

/** Returns the resources of the answer, which is empty if istiod would not know the type. */
export function answerDebug(
  { typeUrl, resourceNames }: { readonly typeUrl: string; readonly resourceNames: readonly string[] },
  connected: readonly ConnectedProxy[],
): Any[] {
  const [name = ''] = resourceNames;
  if (typeUrl === syncType) return connected.filter(isProxy).map(syncOf);
  if (typeUrl === dumpType && resourceNames.length === 1) {
    const found = findConnection(name, connected);
    return found === undefined ? [] : dumpsOf(found);
  }
  const page = isDebugPage(typeUrl) ? pageOf(name, connected) : undefined;
  return page === undefined ? [] : [{ type_url: debugType, value: Buffer.from(JSON.stringify(page)) }];
}

function pageOf(name: string, connected: readonly ConnectedProxy[]): object | undefined {
  const [page, proxyId = ''] = name.split('?proxyID=');
  switch (page) {
    case 'syncz':
      return connected.map(noncesOf);
    case 'connections':
      return { clients: connected.map((each) => ({ connectionId: connectionIdOf(each) })) };
    case 'adsz': {
      const found = findConnection(proxyId, connected);
      return { clients: found === undefined ? [] : [{ metadata: metadataOf(found) }] };
    }
    default:
      return undefined;
  }
}

/** istiod takes any connection whose id contains the text, in a random order. The newest is a probe more often. */
function findConnection(text: string, connected: readonly ConnectedProxy[]): ConnectedProxy | undefined {
  return connected.findLast((each) => connectionIdOf(each).includes(text));
}

function connectionIdOf({ node, number }: ConnectedProxy): string {
  return `${nameOf(node)}-${number}`;
}

/** istiod recognizes a proxy by PROXY_CONFIG in its metadata, which a probe does not have. */
function isProxy({ node }: ConnectedProxy): boolean {
  return node.userAgentName !== 'xdscope';
}

function metadataOf(connected: ConnectedProxy): { readonly CLUSTER_ID?: string } {
  return isProxy(connected) ? { CLUSTER_ID: 'Kubernetes' } : {};
}

/** envoy.service.status.v3.ConfigStatus: SYNCED, NOT_SENT, STALE, ERROR. */
function statusOf({ sent, acked, error }: TypeNonces): number {
  if (error !== '') return 4;
  if (sent === '') return 2;
  return sent === acked ? 1 : 3;
}

function syncOf({ node, types }: ConnectedProxy): Any {
  const genericXdsConfigs = types.map(({ typeUrl, nonces }) => ({
    typeUrl,
    configStatus: statusOf(nonces),
    ...(nonces.sent !== '' && { lastUpdated: timestampOf(nonces.sentAt) }),
    ...(nonces.error !== '' && {
      errorState: { details: nonces.error, lastUpdateAttempt: timestampOf(nonces.sentAt) },
    }),
  }));
  // istiod reports only these fields of the node, and two more keys of its metadata.
  const metadata = { fields: { CLUSTER_ID: { stringValue: 'Kubernetes' } } };
  const fields = { node: { id: nameOf(node), metadata }, genericXdsConfigs };
  return anyMessage('envoy.service.status.v3.ClientConfig', fields);
}

/** NAME.NAMESPACE of a proxy. */
function nameOf({ id = '' }: NodeMessage): string {
  return findProxyName({ id, metadata: {} }) ?? id;
}

function noncesOf(connected: ConnectedProxy): object {
  const { node, types } = connected;
  const { CLUSTER_ID: cluster } = metadataOf(connected);
  return {
    proxy: nameOf(node),
    ...(cluster !== undefined && { cluster_id: cluster }),
    resources: Object.fromEntries(
      types.map(({ typeUrl, nonces: { sent, acked, sentAt, error } }) => [
        typeUrl,
        {
          ...(sent !== '' && { sent }),
          ...(acked !== '' && { acked }),
          sentTime: new Date(sentAt).toISOString(),
          ...(error !== '' && { lastError: error }),
        },
      ]),
    ),
  };
}

/** Endpoints are excluded, as istiod does. */
function dumpsOf({ types }: ConnectedProxy): Any[] {
  const sentOf = (suffix: string) =>
    types
      .filter(({ typeUrl }) => typeUrl.endsWith(suffix))
      .flatMap(({ deliveries }) => [...deliveries.values()])
      .map(({ resource, versionInfo, sentAt }) => ({
        name: resource.name,
        versionInfo,
        lastUpdated: timestampOf(sentAt),
        any: anyOf(resource),
      }));
  const [clusters, listeners, routes, secrets] = [
    '.Cluster',
    '.Listener',
    '.RouteConfiguration',
    '.Secret',
  ].map(sentOf);
  return [
    anyMessage('envoy.admin.v3.BootstrapConfigDump', {}),
    anyMessage('envoy.admin.v3.ClustersConfigDump', {
      dynamicActiveClusters: clusters?.map(({ any, name: _, ...rest }) => ({ ...rest, cluster: any })),
    }),
    anyMessage('envoy.admin.v3.ListenersConfigDump', {
      dynamicListeners: listeners?.map(({ any, name, ...rest }) => ({
        name,
        activeState: { ...rest, listener: any },
      })),
    }),
    anyMessage('envoy.admin.v3.ScopedRoutesConfigDump', {}),
    anyMessage('envoy.admin.v3.RoutesConfigDump', {
      dynamicRouteConfigs: routes?.map(({ any, name: _, ...rest }) => ({ ...rest, routeConfig: any })),
    }),
    anyMessage('envoy.admin.v3.SecretsConfigDump', {
      dynamicActiveSecrets: secrets?.map(({ any, ...rest }) => ({ ...rest, secret: any })),
    }),
  ];
}

function anyMessage(name: string, fields: Record<string, unknown>): Any {
  return { type_url: `type.googleapis.com/${name}`, value: encode(name, fields) };
}
