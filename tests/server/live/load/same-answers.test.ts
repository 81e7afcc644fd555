import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { LoadJobRunner } from '@/server/live/load/load-jobs';
import { openLoadFile } from '@/server/live/load/open-load-file';
import { loadFormat } from '@/server/store/recorder/sqlite/load-schema';
import { makeDatabase } from '@/server/store/recorder/sqlite/open-database';
import { SqlFile } from '@/server/store/recorder/sqlite/sql-file';
import type { StoreDatabase } from '@/server/store/schema';
import {
  type LoadRunner,
  type LoadStory,
  loadStories,
  readLoadAnswers,
  recordLoadStory,
} from '@/tests/support/load-answers';
import { tempDataDir } from '@/tests/support/recorder-temp-dir';
import { describeEngines } from '../../store/engines';

/** See README.md there. */
const goldenDir = path.join(import.meta.dirname ?? __dirname, '../../../fixtures/load-version-1');

function golden(story: LoadStory): { readonly file: Buffer; readonly answers: readonly string[] } {
  const read = (name: string) => readFileSync(path.join(goldenDir, `${story}${name}`));
  return {
    file: brotliDecompressSync(read('.sqlite.br')),
    answers: JSON.parse(read('.json').toString('utf8')),
  };
}

function jobsOf(runner: LoadJobRunner): LoadRunner {
  return {
    open: () => runner.open(),
    append: (batch) => runner.append(batch),
    tidy: (input) => runner.tidy(input),
    read: (question) => runner.read(question),
    excerpt: (question) => runner.excerpt(question),
    excerptPart: (question) => runner.excerptPart(question),
  };
}

const fingerprints = async (runner: LoadJobRunner): Promise<string[]> =>
  (await readLoadAnswers(jobsOf(runner))).map((answer) =>
    createHash('sha256').update(answer).digest('base64').slice(0, 16),
  );

describeEngines('load in the store', ({ open }) => {
  it.each(loadStories)('gives the answers of version 1 to what is recorded %s', async (story) => {
    const store: StoreDatabase = await open();
    const database = { ...store, close: async () => undefined };
    const runner = new LoadJobRunner(async () => ({ database, assertInPlace: () => undefined }), 0);
    await recordLoadStory(jobsOf(runner), story);
    expect(await fingerprints(runner)).toEqual(golden(story).answers);
  });
});

/** A copy of the file that version 1 recorded. */
function copyOf(story: LoadStory): string {
  const file = path.join(tempDataDir(), 'load.sqlite');
  writeFileSync(file, golden(story).file);
  return file;
}

function runnerOf(file: string): LoadJobRunner {
  const runner = new LoadJobRunner(() => openLoadFile(file), 0);
  onTestFinished(async () => {
    await runner.close();
  });
  return runner;
}

it('a start that ended after the file was marked as a store is continued', async () => {
  const file = copyOf('without-tap');
  const sql = new SqlFile(file);
  sql.exec(
    `PRAGMA user_version = ${loadFormat.version}; PRAGMA application_id = ${loadFormat.applicationId}`,
  );
  sql.closeWhole();
  expect(await fingerprints(runnerOf(file))).toEqual(golden('without-tap').answers);
});

it('a file of version 1 whose process was killed before it was whole is converted', async () => {
  const file = path.join(tempDataDir(), 'load.sqlite');
  makeDatabase(file);
  expect(await runnerOf(file).open()).toEqual({ series: [], nextRawId: 1 });
});

it.each(loadStories)(
  'a file of version 1, recorded %s, is converted and gives the same answers',
  async (story) => {
    const file = copyOf(story);
    const first = runnerOf(file);
    expect(await fingerprints(first)).toEqual(golden(story).answers);
    await first.close();
    expect(await fingerprints(runnerOf(file))).toEqual(golden(story).answers);
  },
);
