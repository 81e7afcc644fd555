import { expect, it } from 'vitest';
import type { Twin } from '@/lib/twin/twin';
import { CDS } from '@/lib/xds/resource-type';
import { labTwinClient } from '@/server/lab/interop-runs/client-program';
import { observeRpc, sendRpcs } from '@/server/lab/twin/grpc-client';
import { systemClock } from '@/server/observe';

const cluster = (name: string, more: object) => ({ typeUrl: CDS.typeUrl, name, json: { name, ...more } });
const eds = (serviceName: string) => ({ type: 'EDS', edsClusterConfig: { serviceName } });
const aggregateOf = (...clusters: string[]) => ({
  clusterType: { name: 'envoy.clusters.aggregate', typedConfig: { clusters } },
});

function twinWith(resources: Twin['resources']): Twin {
  const backend = { port: 4_000, cluster: 's', priority: 0, locality: '', address: '10.0.0.1:80' };
  return { resources, backends: [backend], listeners: [], backendNames: new Map(), changes: [], stubs: [] };
}

const ok = { code: 0, details: '', backend: 4_000 };

it('finds the cluster by the backend that answered, and what contains it', () => {
  const twin = twinWith([
    cluster('all', aggregateOf('some', 'b')),
    cluster('some', aggregateOf('a')),
    cluster('a', eds('s')),
    cluster('b', eds('t')),
  ]);
  expect(observeRpc(ok, twin)).toMatchObject({ grpcCode: '0', cluster: 'a', aggregates: ['some', 'all'] });
});

it('states no cluster if two have the same endpoints, or if no backend answered', () => {
  const twin = twinWith([cluster('a', eds('s')), cluster('b', eds('s'))]);
  expect(observeRpc(ok, twin)).not.toHaveProperty('cluster');
  expect(observeRpc(ok, twin).backend?.address).toBe('10.0.0.1:80');
  const failed = { code: 14, details: 'No matching route' };
  expect(observeRpc(failed, twinWith([cluster('a', eds('s'))]))).toEqual({
    ...{ grpcCode: '14', details: 'No matching route' },
  });
});

it('ends the client when the proof is stopped, and when the client cannot begin', async () => {
  const options = {
    program: labTwinClient(),
    node: { id: 'n', cluster: '', locality: { region: '', zone: '', subZone: '' }, metadata: {} },
    // Nothing listens there, so that the RPC waits for its config.
    ...{ adsPort: 1, listener: 'l', names: [], times: 1, clock: systemClock },
    request: { method: 'POST', scheme: 'http', authority: 'l', path: '/s.S/M', headers: [] },
  } as const;
  const stop = new AbortController();
  const stopped = sendRpcs({ ...options, signal: stop.signal });
  stop.abort(new Error('stopped'));
  await expect(stopped).rejects.toThrow(/stopped|SIGKILL/);
  const { signal } = new AbortController();
  const headers = [['x y', 'z']] as const;
  await expect(sendRpcs({ ...options, request: { ...options.request, headers }, signal })).rejects.toThrow(
    /ended with exit code 1: .*x y/,
  );
});

it('ends with an error if the program writes anything but results', async () => {
  const { signal } = new AbortController();
  const program = { name: 'own', version: '1', command: ['/bin/sh', '-c', 'echo "READY 4711"; cat'] };
  const sent = sendRpcs({
    ...{ program, signal, clock: systemClock, adsPort: 1, listener: 'l', names: [], times: 1 },
    node: { id: 'n', cluster: '', locality: { region: '', zone: '', subZone: '' }, metadata: {} },
    request: { method: 'POST', scheme: 'http', authority: 'l', path: '/s.S/M', headers: [] },
  });
  await expect(sent).rejects.toThrow('expected the result of an RPC from the gRPC client, got "READY 4711"');
});

it.skipIf(process.platform !== 'linux').each([
  ['the program itself', labTwinClient().command],
  ['a program that it starts', ['/bin/sh', '-c', '"$@"; exit', 'sh', ...labTwinClient().command]],
])('ends a client that uses more memory than a twin may: %s', async (_, command) => {
  const { signal } = new AbortController();
  const mostMemoryBytes = 20 * 1024 * 1024;
  const sent = sendRpcs({
    ...{ signal, clock: systemClock, mostMemoryBytes, adsPort: 1, listener: 'l', names: [], times: 1 },
    program: { name: 'own', version: '1', command },
    node: { id: 'n', cluster: '', locality: { region: '', zone: '', subZone: '' }, metadata: {} },
    request: { method: 'POST', scheme: 'http', authority: 'l', path: '/s.S/M', headers: [] },
  });
  await expect(sent).rejects.toThrow(/expected .* at most 20971520 bytes of memory, got \d{8,}/);
});
