import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { ClientSummary, Health, Source } from '@/lib/api/schema';
import type { Recorded } from '@/lib/observation/observation';
import { getJson, startServer } from '../support/e2e-server';
import { streamStory } from '../support/log-story';
import { bodyOf } from '../support/recorder-sightings';
import { fileOf } from '../support/xdscope-files';

const folder = mkdtempSync(path.join(os.tmpdir(), 'xdscope-open-story-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function writeRecording(name: string): Promise<string> {
  const body = bodyOf('');
  const observations = streamStory(Date.UTC(2026, 0, 1)).map((each, index): Recorded => {
    const resources = [{ name: 'cart', hash: body.hash, sizeBytes: 0 }];
    return each.kind === 'response-received' ? { ...each, resources, seq: index } : { ...each, seq: index };
  });
  const file = path.join(folder, name);
  const records = [
    { kind: 'bodies', bodies: [body] },
    { kind: 'observations', observations },
  ] as const;
  writeFileSync(file, await fileOf(records));
  return file;
}

const openDirs = () => readdirSync(os.tmpdir()).filter((name) => /^xdscope-open-[0-9a-f]{12}$/.test(name));

describe('open FILE...', { timeout: 120_000 }, () => {
  it('shows the files alone, from a data dir that goes at the end', async () => {
    const files = [await writeRecording('a.xdscope'), await writeRecording('b.xdscope')];
    const before = openDirs();
    const server = await startServer(['open', ...files]);
    const own = openDirs().filter((name) => !before.includes(name));
    try {
      const { items: sources } = await getJson<{ items: Source[] }>(`${server.url}/api/v1/sources`);
      expect(sources.map(({ id, state }) => [id, state])).toEqual([
        ['file:a.xdscope', 'up'],
        ['file:b.xdscope', 'up'],
      ]);
      const { items } = await getJson<{ items: ClientSummary[] }>(`${server.url}/api/v1/clients`);
      expect(items.map(({ nodeId, scope }) => [nodeId, scope])).toEqual([
        ['client-a', 'a.xdscope'],
        ['client-a', 'b.xdscope'],
      ]);
      expect((await getJson<Health>(`${server.url}/api/v1/health`)).lab).toBe(false);
      expect(own).toHaveLength(1);
    } finally {
      await server.stop();
    }
    expect(existsSync(path.join(os.tmpdir(), own[0] ?? ''))).toBe(false);
  });

  it('says in one line what cannot be opened', async () => {
    const file = path.join(folder, 'other.json');
    writeFileSync(file, '{}');
    const before = openDirs();
    await expect(startServer(['open', file])).rejects.toThrow(
      /ended with 2: [\s\S]*xdscope: .*other\.json: expected a document with xDS resources in it, found none\n/,
    );
    expect(openDirs()).toEqual(before);
  });
});
