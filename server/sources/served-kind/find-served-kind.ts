import { Agent } from 'node:http';
import { status } from '@grpc/grpc-js';
import type { RequestedKind } from '@/lib/observation/source-kinds';
import { messageType } from '../../codec/root';
import { methodOf } from '../../codec/service';
import { encodeRequest, pathOf } from '../../collect/channelz/channelz-messages';
import type { Clock } from '../../observe';
import { noSecurity, openChannelSecurity } from '../../transport/grpc/channel-security';
import { CallError, GrpcRequester } from '../../transport/grpc/grpc-requester';
import type { RawAnswer } from '../../transport/grpc/raw-answer';
import { startHttpCall } from '../../transport/http-client/http-call';
import type { Target } from '../../transport/targets/target';

interface ServedKindParts {
  readonly clock: Clock;
  readonly random: () => number;
}

const csds = 'envoy.service.status.v3.ClientStatusDiscoveryService';
const ads = methodOf(
  'envoy.service.discovery.v3.AggregatedDiscoveryService',
  'StreamAggregatedResources',
).path;
const timeoutMs = 3_000;
const maxServerInfoBytes = 1024 * 1024;

/**
 * Tries which kind of source a target is: one request of each, in plain text, without a node and without credentials. Resolves
 * to undefined if it answers none of them. istiod is found as the ADS server that it is as well.
 */
export async function findServedKind(
  target: Target,
  parts: ServedKindParts,
): Promise<RequestedKind | undefined> {
  if (await isEnvoyAdmin(target, parts.clock)) return 'envoy-admin';
  return findService(target, parts);
}

async function isEnvoyAdmin(target: Target, clock: Clock): Promise<boolean> {
  const agent = new Agent({ keepAlive: false });
  const call = startHttpCall({
    ...{ method: 'GET', target, path: '/server_info', isTls: false, agent, clock },
    headers: {
      host: target.socketPath === undefined ? target.text : target.host,
      accept: 'application/json',
    },
    ...{ connectTimeoutMs: timeoutMs, timeoutMs, maxBytes: maxServerInfoBytes },
  });
  const outcome = await call.outcome;
  agent.destroy();
  if (outcome.kind !== 'answer' || outcome.status !== 200) return false;
  try {
    const info: unknown = JSON.parse(outcome.body.toString());
    return typeof info === 'object' && info !== null && 'version' in info && 'command_line_options' in info;
  } catch {
    // The answer is not JSON, so that it is of another server.
    return false;
  }
}

async function findService(
  target: Target,
  { clock, random }: ServedKindParts,
): Promise<RequestedKind | undefined> {
  const security = openChannelSecurity(noSecurity, clock, () => undefined);
  const requester = new GrpcRequester({
    streamPath: methodOf(csds, 'StreamClientStatus').path,
    fetchPath: methodOf(csds, 'FetchClientStatus').path,
    ...{ target, security, clock, random },
  });
  const withoutContents = Buffer.from(
    messageType('envoy.service.status.v3.ClientStatusRequest')
      .encode({ excludeResourceContents: true })
      .finish(),
  );
  const [csdsStatus, channelzStatus, adsStatus] = await Promise.all([
    statusOf(requester.request(withoutContents, timeoutMs)),
    statusOf(requester.requestUnary(pathOf('GetServers'), encodeRequest('GetServers', {}), timeoutMs)),
    statusOf(requester.requestUnary(ads, Buffer.alloc(0), timeoutMs)),
  ]);
  requester.close();
  security.close();
  if (csdsStatus === status.OK) return 'csds';
  if (channelzStatus === status.OK) return 'channelz';
  // A control plane rejects a request without a node and a type, ends the stream, or waits for more requests.
  const isGrpc = csdsStatus === status.UNIMPLEMENTED || channelzStatus === status.UNIMPLEMENTED;
  return isGrpc && adsStatus !== status.UNIMPLEMENTED ? 'ads' : undefined;
}

async function statusOf(answer: Promise<RawAnswer>): Promise<number> {
  try {
    (await answer).release();
    return status.OK;
  } catch (error) {
    if (error instanceof CallError) return error.code;
    throw error;
  }
}
