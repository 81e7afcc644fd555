import { Server, ServerCredentials, status } from '@grpc/grpc-js';
import { expect, it, onTestFinished } from 'vitest';
import { methodOf } from '@/server/codec/service';
import { systemClock } from '@/server/observe';
import { findServedKind } from '@/server/sources/served-kind/find-served-kind';
import type { Target } from '@/server/transport/targets/target';
import { csdsAnswer, startCsdsServer } from '../../../support/csds-server';
import { startEnvoyAdmin } from '../../../support/envoy-admin';
import { someState } from '../../../support/envoy-admin-story';
import { listenHttp1, listenRaw, targetOfPort } from '../../../support/grpc-peers';

const find = (target: Target) => findServedKind(target, { clock: systemClock, random: () => 0 });

it('finds the admin interface of an Envoy', async () => {
  const envoy = await startEnvoyAdmin(someState());
  onTestFinished(() => envoy.close());
  expect(await find(targetOfPort(envoy.port))).toBe('envoy-admin');
});

it('finds a CSDS server', async () => {
  const server = await startCsdsServer(() => csdsAnswer({ config: [] }));
  onTestFinished(() => server.close());
  expect(await find(server.target)).toBe('csds');
});

it.each([
  [
    'rejects a request without a node',
    { code: status.INVALID_ARGUMENT, details: 'missing node information' },
  ],
  ['ends the stream', undefined],
])('finds an ADS server that %s', async (_title, error) => {
  const server = new Server();
  const method = methodOf(
    'envoy.service.discovery.v3.AggregatedDiscoveryService',
    'StreamAggregatedResources',
  );
  server.addService(
    { stream: method },
    {
      stream: (call: { end(): void; emit(event: string, error: object): void; resume(): void }) => {
        call.resume();
        if (error === undefined) call.end();
        else call.emit('error', error);
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (cause, bound) =>
      cause === null ? resolve(bound) : reject(cause),
    ),
  );
  onTestFinished(() => server.forceShutdown());
  expect(await find(targetOfPort(port))).toBe('ads');
});

it.each([
  ['a web server', () => listenHttp1()],
  ['another protocol', () => listenRaw('SSH-2.0-OpenSSH_9.6\r\n')],
  ['a server that closes each connection', () => listenRaw('', true)],
])('finds nothing at %s', async (_title, start) => {
  const peer = await start();
  onTestFinished(() => peer.close());
  expect(await find(peer.target)).toBeUndefined();
});

it('finds nothing where nothing listens', async () => {
  const peer = await listenHttp1();
  await peer.close();
  expect(await find(peer.target)).toBeUndefined();
});
