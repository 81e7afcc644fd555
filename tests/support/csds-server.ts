import {
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type sendUnaryData,
  type status,
} from '@grpc/grpc-js';
import { createCodec } from '@/server/codec/codec';
import { messageType } from '@/server/codec/root';
import { methodOf } from '@/server/codec/service';
import type { Target } from '@/server/transport/targets/target';
import { targetOfPort } from './grpc-peers';

const service = 'envoy.service.status.v3.ClientStatusDiscoveryService';
const responseType = 'envoy.service.status.v3.ClientStatusResponse';
const encoder = createCodec({ redactionKey: Buffer.from('unused') });

/** A ClientStatusResponse from proto3 JSON. */
export function csdsAnswer(json: { config: unknown[] }): Buffer {
  return Buffer.from(encoder.encode(responseType, json));
}

/** One client with clusters of these names and versions. `fill` enlarges the bodies. */
export function clientWithClusters(
  nodeId: string,
  clusters: Record<string, string>,
  { fill = 0, withContents = true, scope = '' } = {},
): object {
  return {
    node: { id: nodeId, cluster: 'tests', userAgentName: 'csds-server' },
    clientScope: scope,
    genericXdsConfigs: Object.entries(clusters).map(([name, versionInfo]) => ({
      typeUrl: 'type.googleapis.com/envoy.config.cluster.v3.Cluster',
      name,
      versionInfo,
      clientStatus: 'ACKED',
      lastUpdated: '2026-01-01T00:00:00Z',
      ...(withContents && {
        xdsConfig: {
          '@type': 'type.googleapis.com/envoy.config.cluster.v3.Cluster',
          name,
          altStatName: `${versionInfo}${'x'.repeat(fill)}`,
        },
      }),
    })),
  };
}

export interface Question {
  readonly excludesContents: boolean;
}

/** The reaction to a request: an answer, a failure, silence, or an answer and the end of the stream. */
export type Reaction = Buffer | { code: status; details: string } | 'silence' | { thenEnd: Buffer };

/** A CSDS server with answers of the test. */
export interface CsdsServer {
  readonly target: Target;
  react: (question: Question) => Reaction;
  readonly questions: Question[];
  /** The largest number of requests that were open at once. */
  readonly mostAtOnce: () => number;
  /** Sends an answer without a request on every open stream. */
  push(answer: Buffer): void;
  readonly streamsOpened: () => number;
  close(): void;
}

export interface CsdsServerOptions {
  readonly port?: number;
  /** Offer only one of the two methods. */
  readonly only?: 'stream' | 'fetch';
}

export async function startCsdsServer(
  react: CsdsServer['react'],
  { port = 0, only }: CsdsServerOptions = {},
): Promise<CsdsServer> {
  const server = new Server({ 'grpc.max_receive_message_length': -1 });
  const questions: Question[] = [];
  const streams = new Set<ServerDuplexStream<Buffer, Buffer>>();
  let opened = 0;
  let atOnce = 0;
  let mostAtOnce = 0;
  const take = (bytes: Buffer): Reaction => {
    const request: { excludeResourceContents?: boolean } = messageType(
      'envoy.service.status.v3.ClientStatusRequest',
    ).toObject(messageType('envoy.service.status.v3.ClientStatusRequest').decode(bytes));
    const question = { excludesContents: request.excludeResourceContents ?? false };
    questions.push(question);
    mostAtOnce = Math.max(mostAtOnce, ++atOnce);
    const reaction = running.react(question);
    if (reaction !== 'silence') atOnce--;
    return reaction;
  };
  const stream = (call: ServerDuplexStream<Buffer, Buffer>): void => {
    opened++;
    streams.add(call);
    call.on('data', (bytes: Buffer) => {
      const reaction = take(bytes);
      if (reaction === 'silence') return;
      if (Buffer.isBuffer(reaction)) call.write(reaction);
      else if ('thenEnd' in reaction) {
        call.write(reaction.thenEnd);
        call.end();
      } else call.emit('error', reaction);
    });
    call.on('end', () => call.end());
    call.on('error', () => streams.delete(call));
    call.on('cancelled', () => {
      streams.delete(call);
      atOnce = 0;
    });
  };
  const fetch = (call: { request: Buffer }, answer: sendUnaryData<Buffer>): void => {
    const reaction = take(call.request);
    if (reaction === 'silence') return;
    if (Buffer.isBuffer(reaction)) answer(null, reaction);
    else if ('thenEnd' in reaction) answer(null, reaction.thenEnd);
    else answer(reaction);
  };
  if (only !== 'fetch') {
    server.addService({ stream: methodOf(service, 'StreamClientStatus') }, { stream });
  }
  if (only !== 'stream') server.addService({ fetch: methodOf(service, 'FetchClientStatus') }, { fetch });
  const bound = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error, boundPort) =>
      error === null ? resolve(boundPort) : reject(error),
    );
  });
  const running: CsdsServer = {
    target: targetOfPort(bound),
    react,
    questions,
    mostAtOnce: () => mostAtOnce,
    push: (answer) => {
      for (const call of streams) call.write(answer);
    },
    streamsOpened: () => opened,
    close: () => server.forceShutdown(),
  };
  return running;
}
