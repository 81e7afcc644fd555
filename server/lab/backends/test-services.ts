import { Metadata, type Server, type ServerUnaryCall, type sendUnaryData, status } from '@grpc/grpc-js';
import { applyBehavior, parseRpcBehavior, type RpcOutcome, rpcBehaviorKey } from '@/lib/interop/rpc-behavior';
import { messageType } from '../../codec/root';
import { methodOf } from '../../codec/service';
import type { Clock } from '../../observe';
import { HookService } from './hook-service';

interface TestServicesOptions {
  /** Answered as the name of the server. */
  readonly name: string;
  readonly clock: Clock;
  readonly onServing: (isServing: boolean) => void;
}

type Call = ServerUnaryCall<Buffer, Buffer>;
type Send = sendUnaryData<Buffer>;

const testService = 'grpc.testing.TestService';
const healthService = 'grpc.testing.XdsUpdateHealthService';
const empty = Buffer.alloc(0);

/**
 * Adds the services of a server of the gRPC xDS interop tests. Its RPCs obey the metadata `rpc-behavior`. Returns its hooks, which
 * the caller closes.
 */
export function addTestServices(
  server: Server,
  { name, clock, onServing }: TestServicesOptions,
): Pick<HookService, 'close'> {
  const response = Buffer.from(
    messageType('grpc.testing.SimpleResponse').encode({ hostname: name, serverId: name }).finish(),
  );
  const answerWith = (bytes: Buffer) => (call: Call, send: Send) => {
    const outcome = readOutcome(call.metadata, name);
    if ('reason' in outcome) {
      send({ code: status.INVALID_ARGUMENT, details: outcome.reason });
      return;
    }
    const { code, delayMs } = outcome;
    if (code === null) return;
    const answer = (): void => {
      if (code !== status.OK) {
        send({ code, details: `${name} obeys rpc-behavior` });
        return;
      }
      call.sendMetadata(namedHeaders(name));
      send(null, bytes);
    };
    if (delayMs === 0) answer();
    else {
      const timer = clock.setTimeout(answer, delayMs);
      call.on('cancelled', () => timer.cancel());
    }
  };
  server.addService(
    { empty: methodOf(testService, 'EmptyCall'), unary: methodOf(testService, 'UnaryCall') },
    { empty: answerWith(empty), unary: answerWith(response) },
  );
  const setServing = (isServing: boolean) => (_: Call, send: Send) => {
    onServing(isServing);
    send(null, empty);
  };
  const hooks = new HookService();
  hooks.addTo(server);
  server.addService(
    {
      set: methodOf(healthService, 'SetServing'),
      unset: methodOf(healthService, 'SetNotServing'),
      hook: methodOf(healthService, 'SendHookRequest'),
    },
    {
      set: setServing(true),
      unset: setServing(false),
      hook: (call: Call, send: Send) => hooks.answer(call, send),
    },
  );
  return hooks;
}

/** The headers from which test clients read which server answered. A failure has none: headers would rule out a retry. */
export function namedHeaders(name: string): Metadata {
  const headers = new Metadata();
  headers.set('hostname', name);
  return headers;
}

function readOutcome(metadata: Metadata, hostname: string): RpcOutcome | { readonly reason: string } {
  const parsed = parseRpcBehavior(metadata.get(rpcBehaviorKey).map(String));
  if (!parsed.ok) return { reason: parsed.reason };
  const attempt = Number(metadata.get('grpc-previous-rpc-attempts')[0] ?? 0);
  return applyBehavior(parsed.options, { hostname, attempt });
}
