import { readdirSync } from 'node:fs';
import { assert, beforeAll, describe, expect, it } from 'vitest';
import type { ProblemDetails } from '@/lib/views/fields/problem';
import type { Health } from '@/lib/views/health/schema';
import { openStorage } from '@/server/compose/open-storage';
import { readConfig } from '@/server/config/read-config';
import { systemClock } from '@/server/observe';
import { RecorderError } from '@/server/store/recorder/recorder';
import { bodyOf, emissionOf } from '../support/builders/recorder-emissions';
import { type Damage, damages, readFolder, writeFolder } from '../support/damage-recording';
import { endOfServer, getJson, type RunningServer, sendJson, startServer } from '../support/e2e-server';
import { tempDataDir } from '../support/recorder-temp-dir';
import { waitUntil } from '../support/wait-until';

const type = 'type.googleapis.com/envoy.config.cluster.v3.Cluster';
const clusterNames = Array.from({ length: 300 }, (_, index) => `cluster-${index}`);

/** A ClientStatusResponse. */
const answer = {
  config: [
    {
      node: { id: 'damaged-story' },
      genericXdsConfigs: clusterNames.map((name) => ({
        ...{ typeUrl: type, name, versionInfo: '1', clientStatus: 'ACKED' },
        xdsConfig: { '@type': type, name, altStatName: `stats of ${name}` },
      })),
    },
  ],
};

/** The files of a server that was closed, and of one that was killed. */
const left = new Map<Damage['after'], ReadonlyMap<string, Buffer>>();
let permalinkId = '';
let clientId = '';

const start = (dataDir: string, ...flags: readonly string[]) =>
  startServer(['--no-lab', '--data-dir', dataDir, ...flags]);
const healthOf = (server: RunningServer) => getJson<Health>(`${server.url}/api/v1/health`);

function damagedDir(...all: readonly Damage[]): string {
  const dataDir = tempDataDir();
  writeFolder(dataDir, left.get(all[0]?.after ?? 'close') ?? new Map());
  for (const { damage } of all) damage(dataDir);
  return dataDir;
}

async function importAnswer(server: RunningServer): Promise<void> {
  const response = await sendJson('POST', `${server.url}/api/v1/imports?name=answer.json&again=true`, answer);
  expect(response.status).toBe(201);
}

beforeAll(async () => {
  const dataDir = tempDataDir();
  const keep = (after: Damage['after']) => left.set(after, readFolder(dataDir, fileNames(dataDir)));
  const server = await start(dataDir);
  await importAnswer(server);
  const { items } = await getJson<{ items: { id: string }[] }>(`${server.url}/api/v1/clients`);
  clientId = items[0]?.id ?? '';
  const made = await sendJson('POST', `${server.url}/api/v1/permalinks`, { clientId });
  permalinkId = ((await made.json()) as { id: string }).id;
  expect(await server.stop()).toBe(0);
  keep('close');
  // After SIGKILL, the files contain what they contain while the storage is open.
  const { recorder, state, close } = await open(dataDir);
  const body = bodyOf('written before the kill');
  recorder.append({ ...emissionOf(Date.now(), null), bodies: [body] });
  await recorder.flushed();
  await state.put('written before the kill', true);
  keep('kill');
  await close();
});

function fileNames(dataDir: string): string[] {
  return readdirSync(dataDir, { withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('recorder.'))
    .map(({ name }) => name);
}

const open = (dataDir: string, ...flags: readonly string[]) =>
  openStorage(
    readConfig({
      argv: ['--no-lab', '--data-dir', dataDir, ...flags],
      ...{ env: {}, cwd: dataDir, version: '0' },
    }),
    systemClock,
    () => undefined,
  );

/** Opens the storage as a start does, closes it, and returns what was renamed. */
async function setAsideIn(dataDir: string, ...flags: readonly string[]): Promise<readonly string[]> {
  const { setAside, close } = await open(dataDir, ...flags);
  await close();
  return setAside;
}

const namesIn = (dataDir: string) => readdirSync(dataDir).filter((name) => !/-(?:wal|shm)$/.test(name));

describe('a damaged recording', () => {
  it.each(damages.filter(({ line }) => line !== undefined))(
    'is not opened: one line names the file and the remedy: $what',
    async (damage) => {
      const dataDir = damagedDir(damage);
      const before = namesIn(dataDir);
      const error = await open(dataDir).catch((reason: unknown) => reason);
      assert(error instanceof RecorderError);
      expect(error.message).toMatch(damage.line ?? /^$/);
      expect(error.message).toMatch(/^[^\n]*--set-aside-damaged[^\n]*$/);
      // No file was renamed.
      expect(readdirSync(dataDir)).toEqual(expect.arrayContaining(before));
    },
  );

  const halves = damages.filter(({ what }) => what.startsWith('half a file'));
  it('ends the start with that line and exit code 2', async () => {
    const [half] = halves;
    assert(half !== undefined);
    const { code, errors } = await endOfServer(['--no-lab', '--data-dir', damagedDir(half)]);
    expect(errors).toMatch(half.line ?? /^$/);
    expect(errors).toMatch(/^xdscope: [^\n]*--set-aside-damaged[^\n]*\n$/);
    expect(code).toBe(2);
  });

  const setAside = [
    ...['a damaged checkpoint', 'half a write-ahead log'],
    ...['another schema version', 'another schema version of load'],
    ...['a flipped bit in the schema', 'a flipped bit in a text of load', 'half a file of state'],
  ];
  const fileOf = ({ what }: Damage) =>
    `${what.endsWith('load') ? 'load' : what.endsWith('state') ? 'state' : 'recording'}.sqlite`;
  const renamed = (file: string) => [
    expect.stringMatching(
      new RegExp(
        `${file} cannot be read \\(.*\\) and is now ${file}\\.damaged-\\d{8}T\\d{6}Z; a new one was begun`,
      ),
    ),
  ];
  it.each(damages.filter(({ what }) => setAside.includes(what)))(
    'is renamed with --set-aside-damaged, and the new file can be opened: $what',
    async (damage) => {
      const dataDir = damagedDir(damage);
      const file = fileOf(damage);
      expect(await setAsideIn(dataDir, '--set-aside-damaged')).toEqual(renamed(file));
      expect(readdirSync(dataDir)).toEqual(
        expect.arrayContaining([file, expect.stringMatching(new RegExp(`^${file}\\.damaged-\\w+$`))]),
      );
      expect(await setAsideIn(dataDir)).toEqual([]);
    },
  );

  it('that was renamed is in health, and the server records', async () => {
    const dataDir = damagedDir(...halves);
    const server = await start(dataDir, '--set-aside-damaged');
    const health = await healthOf(server);
    expect(health.storage.setAside).toHaveLength(halves.length);
    expect(health.storage.setAside).toEqual(
      expect.arrayContaining(halves.flatMap((half) => renamed(fileOf(half)))),
    );
    expect(health.status).toBe('ok');
    const imports = await getJson<{ items: unknown[] }>(`${server.url}/api/v1/imports`);
    expect(imports.items).toHaveLength(0);
    await importAnswer(server);
    expect(await server.stop()).toBe(0);
  });

  it.each(damages.filter(({ line }) => line === undefined))(
    'that only reading finds is in health, and the API answers 503 with the reason: $what',
    async (damage) => {
      const server = await start(damagedDir(damage));
      const { items } = await getJson<{ items: { hash: string }[] }>(
        `${server.url}/api/v1/clients/${encodeURIComponent(clientId)}/resources`,
      );
      const read = [
        `resources/${items[0]?.hash}`,
        `clients/${encodeURIComponent(clientId)}/graph`,
        `permalinks/${permalinkId}`,
      ];
      for (const path of read) {
        const response = await fetch(`${server.url}/api/v1/${path}`);
        expect(response.status, path).toBe(503);
        const problem = (await response.json()) as ProblemDetails;
        expect(problem.detail).toMatch(/recording\.sqlite is damaged: .*--set-aside-damaged/);
      }
      const health = await healthOf(server);
      expect(health.status).toBe('degraded');
      expect(health.storage.damaged).toEqual([expect.stringMatching(/recording\.sqlite is damaged: /)]);
      expect(server.output()).toMatch(/^xdscope: .*recording\.sqlite is damaged: /m);
      // Recording continues.
      expect(health.recorder.state).toBe('recording');
      await importAnswer(server);
      await waitUntil('two files are there', async () => {
        const imports = await getJson<{ items: unknown[] }>(`${server.url}/api/v1/imports`);
        return imports.items.length === 2;
      });
      expect(await server.stop()).toBe(0);
    },
  );
});
