import { type Server, type ServerDuplexStream, status } from '@grpc/grpc-js';
import { messageOf } from '@/lib/format/message-of';
import type { ConfigStatus } from '@/lib/xds/status';
import { methodOf } from '../../codec/service';
import { coveredInDelta } from './covered-resources';
import type { Delivery } from './delivery';
import { anyOf, decode, encode, InvalidRequest, type NodeMessage, timestampOf } from './discovery-messages';
import { matchesNode, type NodeMatcherMessage } from './node-matcher';
import type { ResourceView } from './snapshot-store';
import type { TypeDeliveries } from './type-deliveries';

interface ClientStatusRequestMessage {
  nodeMatchers?: NodeMatcherMessage[];
  excludeResourceContents?: boolean;
}

interface ConnectedNodes {
  /** Returns one entry for each stream that has sent its node. */
  streams(): { node: NodeMessage; types: TypeDeliveries[] }[];
  view(nodeId: string, typeUrl: string): ResourceView;
}

const service = 'envoy.service.status.v3.ClientStatusDiscoveryService';

/** CSDS as a control plane serves it: config_status is set, client_status is not. */
export function addClientStatusService(server: Server, nodes: ConnectedNodes): void {
  const stream = methodOf(service, 'StreamClientStatus');
  const fetch = methodOf(service, 'FetchClientStatus');
  server.addService(
    { stream, fetch },
    {
      fetch: (
        call: { request: Buffer },
        answer: (error: { code: status; details: string } | null, value?: Buffer) => void,
      ) => {
        try {
          answer(null, answerClientStatus(nodes, call.request));
        } catch (error) {
          answer(rejectionOf(error));
        }
      },
      stream: (call: ServerDuplexStream<Buffer, Buffer>) => {
        let ended = false;
        call.on('data', (bytes: Buffer) => {
          if (ended) return;
          try {
            call.write(answerClientStatus(nodes, bytes));
          } catch (error) {
            ended = true;
            call.emit('error', rejectionOf(error));
          }
        });
        call.on('end', () => {
          if (!ended) call.end();
        });
        call.on('error', () => {
          ended = true;
        });
      },
    },
  );
}

function answerClientStatus(nodes: ConnectedNodes, bytes: Uint8Array): Buffer {
  const request: ClientStatusRequestMessage = decode('envoy.service.status.v3.ClientStatusRequest', bytes);
  const { nodeMatchers = [], excludeResourceContents = false } = request;
  const byNode = new Map<string, { node: NodeMessage; types: TypeDeliveries[] }>();
  for (const { node, types } of nodes.streams()) {
    const nodeId = node.id ?? '';
    if (!matchesNode(nodeMatchers, nodeId)) continue;
    byNode.set(nodeId, { node, types: [...(byNode.get(nodeId)?.types ?? []), ...types] });
  }
  const config = [...byNode].map(([nodeId, { node, types }]) =>
    buildClientConfig(node, types, (typeUrl) => nodes.view(nodeId, typeUrl), {
      excludeContents: excludeResourceContents,
    }),
  );
  return encode('envoy.service.status.v3.ClientStatusResponse', { config });
}

function rejectionOf(error: unknown): { code: status; details: string } {
  const details = messageOf(error);
  return { code: error instanceof InvalidRequest ? status.INVALID_ARGUMENT : status.INTERNAL, details };
}

/** A protobufjs ClientConfig.GenericXdsConfig. */
interface GenericXdsConfigMessage {
  typeUrl: string;
  name: string;
  configStatus: number;
  versionInfo?: string;
  xdsConfig?: { type_url: string; value: Uint8Array };
  lastUpdated?: { seconds: number; nanos: number };
  errorState?: {
    details: string;
    versionInfo: string;
    lastUpdateAttempt: { seconds: number; nanos: number };
  };
}

/** envoy.service.status.v3.ConfigStatus. */
const numbers: Record<ConfigStatus, number> = { UNKNOWN: 0, SYNCED: 1, NOT_SENT: 2, STALE: 3, ERROR: 4 };

/** SYNCED is "sent and accepted", STALE "sent, no answer yet", ERROR "rejected", NOT_SENT everything else. */
export function configStatusOf(delivery: Delivery | undefined): ConfigStatus {
  if (delivery === undefined) return 'NOT_SENT';
  const { kind } = delivery.verdict;
  return kind === 'accepted' ? 'SYNCED' : kind === 'rejected' ? 'ERROR' : 'STALE';
}

/**
 * Returns the view of the control plane of one node: every resource to which its streams subscribe, whether it exists
 * or not. If two streams of a node have the same resource, the worse status is used.
 */
function buildClientConfig(
  node: NodeMessage,
  types: readonly TypeDeliveries[],
  viewOf: (typeUrl: string) => ResourceView,
  options: { excludeContents: boolean },
): { node: NodeMessage; genericXdsConfigs: GenericXdsConfigMessage[] } {
  const rows = new Map<string, GenericXdsConfigMessage>();
  for (const { typeUrl, subscription, deliveries } of types) {
    const covered = coveredInDelta(typeUrl, subscription, viewOf(typeUrl));
    const aliases = new Set(covered.flatMap((each) => each.aliases ?? []));
    const requested = [...subscription.names].filter((name) => !aliases.has(name));
    for (const name of new Set([...covered.map((each) => each.name), ...requested, ...deliveries.keys()])) {
      const row = rowOf(typeUrl, name, deliveries.get(name), options);
      const key = `${typeUrl}\u0000${name}`;
      const other = rows.get(key);
      if (other === undefined || other.configStatus < row.configStatus) rows.set(key, row);
    }
  }
  return { node, genericXdsConfigs: [...rows.values()] };
}

function rowOf(
  typeUrl: string,
  name: string,
  delivery: Delivery | undefined,
  { excludeContents }: { excludeContents: boolean },
): GenericXdsConfigMessage {
  const row: GenericXdsConfigMessage = { typeUrl, name, configStatus: numbers[configStatusOf(delivery)] };
  if (delivery === undefined) return row;
  const { versionInfo, sentAt, resource, verdict } = delivery;
  row.versionInfo = versionInfo;
  row.lastUpdated = timestampOf(sentAt);
  if (!excludeContents) row.xdsConfig = anyOf(resource);
  if (verdict.kind === 'rejected') {
    row.errorState = { details: verdict.details, versionInfo, lastUpdateAttempt: timestampOf(verdict.at) };
  }
  return row;
}
