import { by } from '@/lib/collections/compare';
import { messageOf } from '@/lib/format/message-of';
import type { MethodCounts, RpcBlock, RpcConfiguration } from '@/lib/observation/test-client';
import { CodecError } from '../../codec/codec-error';
import { messageType } from '../../codec/root';
import { methodOf } from '../../codec/service';

const stats = 'grpc.testing.LoadBalancerStatsService';
export const accumulatedStats = methodOf(stats, 'GetClientAccumulatedStats').path;
export const clientStats = methodOf(stats, 'GetClientStats').path;
export const configure = methodOf('grpc.testing.XdsUpdateClientConfigureService', 'Configure').path;

/** Limits what is kept of one answer, which a peer chooses. */
const maxMethods = 50;
const maxStatuses = 32;
const maxPeers = 1_000;
const maxNameChars = 200;

interface AccumulatedStatsMessage {
  readonly statsPerMethod?: Readonly<
    Record<string, { readonly rpcsStarted?: number; readonly result?: Readonly<Record<string, number>> }>
  >;
}

interface PeersMessage {
  readonly rpcsByPeer?: Readonly<Record<string, number>>;
}

interface ClientStatsMessage extends PeersMessage {
  readonly numFailures?: number;
  readonly rpcsByMethod?: Readonly<Record<string, PeersMessage>>;
}

export interface DecodedCounts {
  readonly methods: readonly MethodCounts[];
  /** Number of methods beyond the limit. */
  readonly leftOut: number;
}

export function encodeAccumulatedStatsRequest(): Buffer {
  return encode('LoadBalancerAccumulatedStatsRequest', {});
}

/** Throws a CodecError. */
export function decodeAccumulatedStats(bytes: Uint8Array): DecodedCounts {
  const name = 'LoadBalancerAccumulatedStatsResponse';
  const { statsPerMethod = {} }: AccumulatedStatsMessage = decode(name, bytes);
  const all = Object.entries(statsPerMethod).map(([method, { rpcsStarted = 0, result = {} }]) => ({
    method: cut(method),
    started: toCount(rpcsStarted, `rpcs_started of ${method}`),
    ended: Object.entries(result)
      .map(([code, value]) => ({
        code: toCount(Number(code), `a status of ${method}`),
        count: toCount(value, `result[${code}] of ${method}`),
      }))
      .filter(({ count }) => count > 0)
      .sort(by(({ code }) => code))
      .slice(0, maxStatuses),
  }));
  const methods = all.sort(by(({ method }) => method)).slice(0, maxMethods);
  return { methods, leftOut: all.length - methods.length };
}

export function encodeStatsRequest({
  rpcs,
  timeoutMs,
}: {
  readonly rpcs: number;
  readonly timeoutMs: number;
}) {
  return encode('LoadBalancerStatsRequest', { numRpcs: rpcs, timeoutSec: Math.ceil(timeoutMs / 1000) });
}

/** Throws a CodecError. */
export function decodeStats(bytes: Uint8Array): Pick<RpcBlock, 'failed' | 'peers' | 'methods'> {
  const message: ClientStatsMessage = decode('LoadBalancerStatsResponse', bytes);
  const { numFailures = 0, rpcsByMethod = {} } = message;
  return {
    failed: toCount(numFailures, 'num_failures'),
    peers: toPeers(message),
    methods: Object.entries(rpcsByMethod)
      .map(([method, each]) => ({ method: cut(method), peers: toPeers(each) }))
      .sort(by(({ method }) => method))
      .slice(0, maxMethods),
  };
}

export function encodeConfiguration({ types, metadata, timeoutMs }: RpcConfiguration): Buffer {
  const timeout = timeoutMs === undefined ? {} : { timeoutSec: Math.ceil(timeoutMs / 1000) };
  return encode('ClientConfigureRequest', {
    types: types.map(numberOfType),
    metadata: metadata.map((entry) => ({ ...entry, type: numberOfType(entry.type) })),
    ...timeout,
  });
}

function numberOfType(type: RpcConfiguration['types'][number]): number {
  return type === 'EMPTY_CALL' ? 0 : 1;
}

function toPeers({ rpcsByPeer = {} }: PeersMessage): RpcBlock['peers'] {
  return Object.entries(rpcsByPeer)
    .map(([peer, value]) => ({ peer: cut(peer), count: toCount(value, `the RPCs of ${cut(peer)}`) }))
    .sort(by(({ peer }) => peer))
    .slice(0, maxPeers);
}

function cut(text: string): string {
  return text.slice(0, maxNameChars);
}

function toCount(value: number, what: string): number {
  if (value >= 0) return value;
  throw new CodecError(`expected 0 or more for ${cut(what)}, got ${value}`);
}

function encode(name: string, message: object): Buffer {
  return Buffer.from(messageType(`grpc.testing.${name}`).encode(message).finish());
}

function decode(name: string, bytes: Uint8Array): object {
  try {
    return messageType(`grpc.testing.${name}`).decode(bytes);
  } catch (cause) {
    throw new CodecError(`expected a ${name}, got other bytes (${messageOf(cause)})`);
  }
}
