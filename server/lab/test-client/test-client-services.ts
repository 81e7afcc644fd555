import { type Server, type ServerUnaryCall, type sendUnaryData, status } from '@grpc/grpc-js';
import { messageOf } from '@/lib/format/message-of';
import { messageType } from '../../codec/root';
import { methodOf } from '../../codec/service';
import type { BlockOfRpcs, RpcStatistics } from './rpc-statistics';
import type { TestCalls, TestConfiguration } from './test-calls';

const stats = 'grpc.testing.LoadBalancerStatsService';
const configureService = 'grpc.testing.XdsUpdateClientConfigureService';
const methodNames = { EMPTY_CALL: 'EmptyCall', UNARY_CALL: 'UnaryCall' } as const;
const defaultTimeoutMs = 20_000;
const maxBlock = 100_000;

interface ConfigureMessage {
  readonly types?: readonly number[];
  readonly metadata?: readonly { readonly type?: number; readonly key?: string; readonly value?: string }[];
  readonly timeoutSec?: number;
}

/** Adds the services of a client of the gRPC xDS interop tests. */
export function addTestClientServices(
  server: Server,
  {
    statistics,
    calls,
    usualTimeoutMs = defaultTimeoutMs,
  }: {
    readonly statistics: RpcStatistics;
    readonly calls: TestCalls;
    /** The timeout of RPCs that are configured without one. */
    readonly usualTimeoutMs?: number;
  },
): void {
  server.addService(
    { accumulated: methodOf(stats, 'GetClientAccumulatedStats'), block: methodOf(stats, 'GetClientStats') },
    {
      accumulated: unary(() => encodeAccumulated(statistics)),
      block: unary(async (request) => {
        const { numRpcs = 0, timeoutSec = 0 } = decode<{ numRpcs?: number; timeoutSec?: number }>(
          'LoadBalancerStatsRequest',
          request,
        );
        if (numRpcs < 1 || numRpcs > maxBlock)
          throw new Error(`num_rpcs: expected 1 to ${maxBlock}, got ${numRpcs}`);
        const timeoutMs = timeoutSec > 0 ? timeoutSec * 1000 : defaultTimeoutMs;
        return encodeBlock(await statistics.countBlock(numRpcs, timeoutMs));
      }),
    },
  );
  server.addService(
    { configure: methodOf(configureService, 'Configure') },
    {
      configure: unary((request) => {
        calls.configure(readConfiguration(decode('ClientConfigureRequest', request), usualTimeoutMs));
        return Buffer.alloc(0);
      }),
    },
  );
}

function unary(answer: (request: Buffer) => Buffer | Promise<Buffer>) {
  return async (call: ServerUnaryCall<Buffer, Buffer>, send: sendUnaryData<Buffer>): Promise<void> => {
    try {
      send(null, await answer(call.request));
    } catch (error) {
      send({ code: status.INVALID_ARGUMENT, details: messageOf(error) });
    }
  };
}

function readConfiguration(
  { types = [], metadata = [], timeoutSec = 0 }: ConfigureMessage,
  usualTimeoutMs: number,
): TestConfiguration {
  return {
    types: [...new Set(types.map(typeOf))],
    metadata: metadata.map(({ type = 0, key = '', value = '' }) => ({ type: typeOf(type), key, value })),
    timeoutMs: timeoutSec > 0 ? timeoutSec * 1000 : usualTimeoutMs,
  };
}

function typeOf(number: number): TestConfiguration['types'][number] {
  return number === 1 ? 'UNARY_CALL' : 'EMPTY_CALL';
}

function encodeAccumulated({ methods }: RpcStatistics): Buffer {
  const started: Record<string, number> = {};
  const succeeded: Record<string, number> = {};
  const failed: Record<string, number> = {};
  const statsPerMethod: Record<string, object> = {};
  for (const [method, counts] of methods) {
    const ended = [...counts.ended];
    started[method] = counts.started;
    succeeded[method] = counts.ended.get(0) ?? 0;
    failed[method] = ended.reduce((sum, [code, count]) => sum + (code === 0 ? 0 : count), 0);
    statsPerMethod[method] = { rpcsStarted: counts.started, result: Object.fromEntries(ended) };
  }
  return encode('LoadBalancerAccumulatedStatsResponse', {
    numRpcsStartedByMethod: started,
    numRpcsSucceededByMethod: succeeded,
    numRpcsFailedByMethod: failed,
    statsPerMethod,
  });
}

function encodeBlock({ failed, byPeer, byMethod }: BlockOfRpcs): Buffer {
  const rpcsByMethod = [...byMethod].map(([method, peers]) => [
    Object.hasOwn(methodNames, method) ? methodNames[method as keyof typeof methodNames] : method,
    { rpcsByPeer: Object.fromEntries(peers) },
  ]);
  return encode('LoadBalancerStatsResponse', {
    rpcsByPeer: Object.fromEntries(byPeer),
    numFailures: failed,
    rpcsByMethod: Object.fromEntries(rpcsByMethod),
  });
}

function encode(name: string, message: object): Buffer {
  return Buffer.from(messageType(`grpc.testing.${name}`).encode(message).finish());
}

function decode<Message extends object>(name: string, bytes: Buffer): Message {
  return messageType(`grpc.testing.${name}`).decode(bytes) as unknown as Message;
}
