import { Client, credentials, Server, ServerCredentials } from '@grpc/grpc-js';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { messageType } from '@/server/codec/root';
import { addTestServices } from '@/server/lab/backends/test-services';
import { systemClock } from '@/server/observe';
import { freePort } from '@/tests/support/free-port';

const asBytes = (bytes: Buffer): Buffer => bytes;
const start = 1;
const stop = 2;
const returns = 3;

interface Answer {
  readonly code: number;
  readonly details: string;
}

/** Resolves with the status of the RPC, whichever it is. */
function callOf(client: Client, method: string, message: object = {}, type = 'Empty'): Promise<Answer> {
  const bytes = Buffer.from(messageType(`grpc.testing.${type}`).encode(message).finish());
  return new Promise((resolve) => {
    client.makeUnaryRequest(`/grpc.testing.${method}`, asBytes, asBytes, bytes, (error) =>
      resolve({ code: error?.code ?? 0, details: error?.details ?? '' }),
    );
  });
}

const open = (address: string): Client => {
  const client = new Client(address, credentials.createInsecure());
  onTestFinished(() => client.close());
  return client;
};

describe('the hooks of a server of the interop tests', () => {
  let client: Client;
  const send = (command: number, more: object = {}) =>
    callOf(client, 'XdsUpdateHealthService/SendHookRequest', { command, ...more }, 'HookRequest');

  beforeEach(async () => {
    const server = new Server();
    const hooks = addTestServices(server, { name: 'b1', clock: systemClock, onServing: () => undefined });
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, at) =>
        error === null ? resolve(at) : reject(error),
      );
    });
    client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
    return () => {
      client.close();
      hooks.close();
      server.forceShutdown();
    };
  });

  it('wait until a status is set, which later calls get at once until it is cleared', async () => {
    const waiting = callOf(client, 'HookService/Hook');
    const status = { grpcCodeToReturn: 9, grpcStatusDescription: 'draining' };
    expect((await callOf(client, 'HookService/SetReturnStatus', status, 'SetReturnStatusRequest')).code).toBe(
      0,
    );
    expect(await waiting).toEqual({ code: 9, details: 'draining' });
    expect(await callOf(client, 'HookService/Hook')).toEqual({ code: 9, details: 'draining' });

    await callOf(client, 'HookService/ClearReturnStatus');
    const again = callOf(client, 'HookService/Hook');
    await send(returns);
    expect((await again).code).toBe(0);
  });

  it('are served on a port of their own between START and STOP', async () => {
    const serverPort = await freePort();
    expect((await send(start, { serverPort })).code).toBe(0);
    const own = open(`127.0.0.1:${serverPort}`);
    const waiting = callOf(own, 'HookService/Hook');
    await send(returns, { grpcCodeToReturn: 1, grpcStatusDescription: 'go' });
    expect(await waiting).toEqual({ code: 1, details: 'go' });
    expect(await send(start, { serverPort })).toEqual({
      code: 3,
      details: 'command: expected a STOP before another START, got none',
    });
    expect((await send(stop)).code).toBe(0);
    expect((await callOf(open(`127.0.0.1:${serverPort}`), 'HookService/Hook')).code).toBe(14);
    expect((await send(start, { serverPort })).code).toBe(0);
  });

  it('reject a command that is none, and a port that is none', async () => {
    expect((await send(0)).details).toBe('command: expected 1 (START), 2 (STOP) or 3 (RETURN), got 0');
    expect((await send(start, { serverPort: 70_000 })).details).toBe(
      'server_port: expected 1 to 65535, got 70000',
    );
  });
});
