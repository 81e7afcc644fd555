import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import type { Recorder } from '@/server/store/recorder/recorder';
import { plainClient } from '@/tests/support/golden-files';
import { openWholeRecorder } from '@/tests/support/open-recorder';
import { bundleSupportProgram } from '@/tests/support/recorder-bundle';
import { ManualClock } from '@/tests/support/recorder-manual-clock';
import { tempDataDir } from '@/tests/support/recorder-temp-dir';

/** A recording of version 1 whose oldest part, but for a pinned range, retention deleted. */
const fixture = path.join(import.meta.dirname, '../../../fixtures/version-1-retained');

interface Content {
  /** The first seq after the deleted part, the newest one, and the number of observations. */
  readonly seqs: readonly [number, number, number];
  /** What the recorder of version 1 returned. */
  readonly moments: readonly {
    readonly seq: number;
    readonly incomplete: string;
    readonly client: { readonly clientId: string };
  }[];
  readonly hashes: readonly string[];
}

const content: Content = JSON.parse(
  brotliDecompressSync(readFileSync(path.join(fixture, 'content.json.br'))).toString('utf8'),
);
const [first, newest, count] = content.seqs;

function copyOf(): string {
  const dataDir = tempDataDir();
  cpSync(path.join(fixture, 'recording.sqlite'), path.join(dataDir, 'recording.sqlite'));
  return dataDir;
}

async function open(dataDir: string, sentences: string[] = []): Promise<Recorder> {
  const onConversion = (sentence: string) => sentences.push(sentence);
  const recorder = await openWholeRecorder({ dataDir, clock: new ManualClock(), onConversion });
  onTestFinished(() => recorder.close());
  return recorder;
}

async function assertWhole(recorder: Recorder): Promise<void> {
  const log = [];
  for await (const page of recorder.replayAfter(0)) log.push(...page);
  expect(log).toHaveLength(count);
  expect(log.at(-1)?.seq).toBe(newest);
  expect((await recorder.readBodies(content.hashes)).size).toBe(content.hashes.length);
  expect(recorder.stats()).toMatchObject({ observations: count, checkpointSeq: newest, newestSeq: newest });
  expect(await recorder.pins()).toMatchObject([{ label: 'kept' }]);
}

it('a recording that retention shortened is converted with the state of each client where the log begins', async () => {
  const dataDir = copyOf();
  const sentences: string[] = [];
  const recorder = await open(dataDir, sentences);
  await assertWhole(recorder);
  expect(first).toBeGreaterThan(1);
  for (const { seq, incomplete, client } of content.moments) {
    const found = await recorder.readClientAt(client.clientId, { seq });
    expect(found && plainClient(found.client), `${client.clientId} at ${seq}`).toEqual(client);
    expect(found?.incomplete).toBe(incomplete);
  }
  const checkpoint = await recorder.loadCheckpoint();
  expect(checkpoint?.clients.map(({ clientId }) => clientId).sort()).toEqual(
    [...new Set(content.moments.map(({ client }) => client.clientId))].sort(),
  );
  expect(sentences.at(-1)).toContain(
    'recording.sqlite was converted; the recording of version 1 is recording.sqlite.v1',
  );
  expect(readFileSync(path.join(dataDir, 'recording.sqlite.v1'))).toEqual(
    readFileSync(path.join(fixture, 'recording.sqlite')),
  );
});

it('is converted once', async () => {
  const dataDir = copyOf();
  await (await open(dataDir)).close();
  const sentences: string[] = [];
  await assertWhole(await open(dataDir, sentences));
  expect(sentences).toEqual([]);
});

/** The states in which a killed process leaves the directory. `name` appends to the path of the recording. */
const killed: readonly (readonly [string, (file: string) => void])[] = [
  ['while it writes', (file) => writeFileSync(`${file}.converting`, 'half of it')],
  [
    'before the old recording is renamed',
    (file) => {
      renameSync(file, `${file}.converted`);
      renameSync(`${file}.v1`, file);
    },
  ],
  ['before the new recording is renamed', (file) => renameSync(file, `${file}.converted`)],
];

it.each(killed)('a process that is killed %s loses nothing', async (_, leave) => {
  const dataDir = copyOf();
  const file = path.join(dataDir, 'recording.sqlite');
  await (await open(dataDir)).close();
  if (leave === killed[0]?.[1]) renameSync(`${file}.v1`, file);
  leave(file);
  await assertWhole(await open(dataDir));
  expect(existsSync(`${file}.v1`)).toBe(true);
  expect(existsSync(`${file}.converted`)).toBe(false);
});

it('kill -9 at any moment of the conversion loses nothing', async () => {
  const program = bundleSupportProgram('recorder-open-child');
  const dataDir = copyOf();
  for (let round = 0; round < 12; round++) {
    const child = spawn(process.execPath, [program, dataDir], { stdio: 'inherit' });
    const closed = once(child, 'close');
    const timer = setTimeout(() => child.kill('SIGKILL'), 200 + Math.random() * 800);
    await closed;
    clearTimeout(timer);
  }
  await assertWhole(await open(dataDir));
}, 60_000);
