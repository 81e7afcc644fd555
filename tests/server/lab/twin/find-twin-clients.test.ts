import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findTwinClients } from '@/server/lab/twin/find-twin-clients';

function cacheWith(...files: readonly string[]): string {
  const cache = mkdtempSync(path.join(os.tmpdir(), 'xdscope-twins-'));
  onTestFinished(() => rmSync(cache, { recursive: true }));
  for (const file of files) {
    mkdirSync(path.dirname(path.join(cache, file)), { recursive: true });
    writeFileSync(path.join(cache, file), '');
  }
  return cache;
}

it('has the newest version of each program that was built as the client of a twin', async () => {
  const cache = cacheWith(
    'interop-grpc-go/1.85.0-0a1b2c3d/twin.go',
    'interop-grpc-go/1.9.0-0a1b2c3d/twin.go',
    'interop-grpc-java/1.85.1-0a1b2c3d/classes/TwinClient.class',
    'interop-c-core/1.85.1-0a1b2c3d/client.py',
  );
  const [lab, ...found] = await findTwinClients([], cache);
  expect(lab).toMatchObject({ name: 'grpc-js' });
  expect(found.map(({ name, version }) => `${name} ${version}`)).toEqual([
    'grpc-go 1.85.0',
    'grpc-java 1.85.1',
  ]);
  expect(found.map(({ command }) => command.at(-1))).toEqual(['--twin', '--twin']);
});

it('prefers a program of the config file to one with the same name, and rejects a name that is not unique', async () => {
  const cache = cacheWith('interop-grpc-go/1.85.0-0a1b2c3d/twin.go');
  const own = { name: 'grpc-go', version: '1.99.0', command: ['/opt/twin'] };
  const found = await findTwinClients([own], cache);
  expect(found.map(({ name, version }) => `${name} ${version}`).sort()).toEqual([
    'grpc-go 1.99.0',
    expect.stringMatching(/^grpc-js /),
  ]);
  await expect(findTwinClients([own, own], cache)).rejects.toThrow(
    /twinClients: expected names .* got "grpc-go"/,
  );
  await expect(findTwinClients([{ ...own, name: 'Envoy' }], cache)).rejects.toThrow(/got "Envoy"/);
});
