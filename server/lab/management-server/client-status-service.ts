import { type Server, type ServerDuplexStream, status } from '@grpc/grpc-js';
import { methodOf } from '../../codec/service';
import { buildClientConfig } from './config-status';
import { decode, encode, InvalidRequest, type NodeMessage } from './discovery-messages';
import { matchesNode, type NodeMatcherMessage } from './node-matcher';
import type { ResourceView } from './snapshot-store';
import type { TypeDeliveries } from './type-deliveries';

interface ClientStatusRequestMessage {
  nodeMatchers?: NodeMatcherMessage[];
  excludeResourceContents?: boolean;
}

export interface ConnectedNodes {
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
  const details = error instanceof Error ? error.message : String(error);
  return { code: error instanceof InvalidRequest ? status.INVALID_ARGUMENT : status.INTERNAL, details };
}
