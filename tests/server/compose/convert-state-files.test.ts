import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { SavedDescriptorSets } from '@/server/answers/descriptor-sets/saved-descriptor-sets';
import { convertStateFiles } from '@/server/compose/convert-state-files';
import { openKeptState } from '@/server/compose/open-state';
import { ConfigError } from '@/server/config-error';
import { problemsPrefix, savedProblems } from '@/server/files/import/imports';
import { SavedInteropRuns } from '@/server/lab/interop-runs/saved-interop-runs';
import { SavedRuns } from '@/server/lab/server-checks/saved-runs';
import { SavedNodeChanges } from '@/server/live/fleet/saved-node-changes';
import { sizesEntry } from '@/server/live/sizes/saved-sizes';
import { projectRoot } from '@/server/project-root';
import { KeptList } from '@/server/store/kept-list';
import type { StateStore } from '@/server/store/state';
import { tempDataDir } from '../../support/recorder-temp-dir';
import { openTestState } from '../../support/test-state';

const golden = path.join(projectRoot, 'tests/fixtures/data-dir-1');
const staying = ['README.md', 'redaction.key'];
const converted = readdirSync(golden).filter((name) => !staying.includes(name));

let dir: string;
let state: StateStore;
beforeEach(async () => {
  dir = tempDataDir();
  cpSync(golden, dir, { recursive: true });
  state = await openTestState(dir);
});

const file = (name: string): string => path.join(dir, name);
const everything = () => state.list('', z.unknown());

/** Throws where the process is killed: after the transaction, before the files are renamed. */
async function killedBeforeRenaming(): Promise<void> {
  const files = converted.map((name) => [file(`${name}.imported`), file(name)] as const);
  await convertStateFiles(dir, state);
  for (const [to, from] of files) renameSync(to, from);
}

describe('the files of an earlier version', () => {
  it('are in the state with all that they had', async () => {
    expect(await convertStateFiles(dir, state)).toEqual([]);
    const kept = await openKeptState(state);
    const json = (name: string) => JSON.parse(readFileSync(path.join(golden, name), 'utf8'));
    const { version: _, ...sources } = json('sources.json');
    expect(kept.sources.value).toEqual(sources);
    expect(sources.sources).toMatchObject([{ target: '127.0.0.1:25999' }]);
    expect(sources.pausedIds).toEqual(['interop:127.0.0.1:18104']);
    expect(kept.imports.value).toEqual(json('imports.json'));
    expect(kept.removedSources.value).toEqual(json('removed-sources.json'));
    expect(kept.removedSources.value.removed).toContain('channelz:127.0.0.1:25998');
    expect(kept.mutes.value).toEqual(json('muted-issues.json'));
    expect(kept.alerts.value).toEqual(json('alerted-issues.json'));
    expect(kept.streamEnds.value).toEqual(json('stream-ends.json'));
    expect(kept.conditions.value.open.map(({ period }) => period.from)).toEqual(
      json('config-issues.json').open.map((each: { period: { from: number } }) => each.period.from),
    );
    expect(kept.loadErrors.value).toMatchObject(json('load-errors.json'));
    expect(kept.requestErrors.value.open).toHaveLength(json('request-errors.json').open.length);
    const [set] = new SavedDescriptorSets(kept.descriptorSets).read();
    expect(set).toMatchObject({ id: '30260daea315f286', name: 'acme.binpb' });
    expect(Buffer.from(set?.bytes ?? [])).toEqual(
      readFileSync(path.join(golden, 'descriptor-sets/30260daea315f286.binpb')),
    );
    expect((await state.get(`${problemsPrefix}f60326c45ccb`, savedProblems))?.value).toEqual(
      json('import-problems/f60326c45ccb.json'),
    );
    const [run] = (await SavedRuns.open(state, 'server-checks/')).list();
    expect(run).toEqual(json('server-checks/e6c646b2-0594.json'));
    const shared = await SavedRuns.open(state, 'server-check-permalinks/');
    expect(shared.find('e6c646b2-0594-mx2eoqgh')?.verdicts).toEqual({ S1: 'passes', S2: 'passes' });
    const [interop] = await new SavedInteropRuns(state).read();
    expect(interop).toMatchObject({ case: 'ping_pong', state: 'ended', of: 3 });
    expect(await new SavedNodeChanges(state).read()).toEqual({
      seq: 4,
      changed: [expect.objectContaining({ clientId: 'a6dc526e5441a6b6', times: 2 })],
    });
    const sizes = await new KeptList(state, sizesEntry).read();
    expect([sizes?.head.types.length, sizes?.head.everyMs]).toEqual([4, 30_000]);
    expect(sizes?.lines.length).toBeGreaterThan(3);
    // The key was there before this start.
    expect(kept.redactionKey.value.sha256).toBe(json('checksums.json')['redaction.key'][0]);
  });

  it('are renamed, once', async () => {
    await convertStateFiles(dir, state);
    expect(
      readdirSync(dir)
        .filter((name) => !name.startsWith('state.'))
        .sort(),
    ).toEqual([...staying, ...converted.map((name) => `${name}.imported`)].sort());
    const before = await everything();
    expect(await convertStateFiles(dir, state)).toEqual([]);
    expect(await everything()).toEqual(before);
  });

  it('are only renamed by the start after one that ended before it renamed them', async () => {
    await killedBeforeRenaming();
    const { mutes } = await openKeptState(state);
    await mutes.change(() => ({ subjects: [] }));
    expect(await convertStateFiles(dir, state)).toEqual([]);
    expect((await openKeptState(state)).mutes.value).toEqual({ subjects: [] });
    expect(existsSync(file('muted-issues.json'))).toBe(false);
  });

  it('replace what is in the state if one is put back with another content, and nothing is lost', async () => {
    await convertStateFiles(dir, state);
    const subjects = [{ key: 'a', until: 9 }];
    writeFileSync(file('muted-issues.json'), JSON.stringify({ subjects }));
    const before = (await openKeptState(state)).mutes.value;
    await convertStateFiles(dir, state);
    expect((await openKeptState(state)).mutes.value).toEqual({ subjects });
    expect((await state.get('damaged/muted-issues', z.unknown()))?.value).toEqual(before);
    expect(readdirSync(dir)).toEqual(
      expect.arrayContaining(['muted-issues.json.imported', 'muted-issues.json.imported-2']),
    );
  });

  it.each([
    ['sources.json', '{\n\n]', /sources\.json: expected what xdscope saved there, got something else/],
    ['sources.json', '{"version":2}', /sources\.json: expected version 1, got 2: .* move the file away/],
    ['sources.json', '{"sources":[]}', /sources\.json: expected version 1, got none: /],
    [
      'sources.json',
      '{"version":1,"sources":[{"kind":"csds","target":"unix:/x","label":"","paused":false}],"pausedIds":[]}',
      /target: expected host:port/,
    ],
    ['imports.json', '[{}]', /imports\.json: expected what xdscope saved there/],
    ['descriptor-sets/list.json', '{}', /descriptor-sets: expected what xdscope saved there/],
  ])(
    'end the start with one line where sources or clients would be missing: %s with %j',
    async (name, content, line) => {
      writeFileSync(file(name), content);
      const error = await convertStateFiles(dir, state).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(ConfigError);
      expect(String(error)).toMatch(line);
      expect(String(error)).not.toMatch(/\n/);
      // Nothing was converted.
      expect(await everything()).toEqual([]);
      expect(readdirSync(dir)).toEqual(expect.arrayContaining(converted));
    },
  );

  it.each([
    ['muted-issues.json', Buffer.from('{"')],
    ['removed-sources.json', Buffer.from('{"removed":["csds:a:1"],')],
    ['size-history.ndjson.gz', Buffer.from('no gzip')],
    ['size-history.ndjson.gz', gzipSync('{"version":1}\n')],
    ['node-changes.ndjson.gz', Buffer.alloc(0)],
    ['interop-runs.ndjson.gz', gzipSync('{"version":1,"run":')],
    ['server-checks/e6c646b2-0594.json', Buffer.from('{')],
  ])(
    'are reported and set aside if they are damaged, and the others are converted: %s',
    async (name, content) => {
      rmSync(file('checksums.json'));
      writeFileSync(file(name), content);
      const [top = ''] = name.split('/');
      const remarks = await convertStateFiles(dir, state);
      expect(remarks).toEqual([
        expect.stringMatching(new RegExp(`${top}: expected .*; it is now ${top}\\.damaged$`)),
      ]);
      const names = readdirSync(dir);
      const others = converted.filter((each) => each !== top && each !== 'checksums.json');
      expect(names).toEqual(
        expect.arrayContaining([`${top}.damaged`, ...others.map((each) => `${each}.imported`)]),
      );
      expect((await openKeptState(state)).sources.value.sources).toHaveLength(1);
    },
  );

  it.each(['redaction.key', 'removed-sources.json'])(
    'are reported if something else changed or removed them: %s',
    async (name) => {
      const content = readFileSync(file(name));
      writeFileSync(file(name), Buffer.concat([content, Buffer.from(' ')]));
      const changed = new RegExp(`/${name} was changed since xdscope wrote it, so .*: put back a copy`);
      expect(await convertStateFiles(dir, state)).toEqual([expect.stringMatching(changed)]);
    },
  );
});
