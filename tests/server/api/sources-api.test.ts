import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '@/server/api/api-error';
import { SourcesApi } from '@/server/api/sources-api';
import { initialSourceStatus, type RunningSource } from '@/server/source-status';
import { SavedSourcesFile } from '@/server/sources/saved-sources';
import { SourceRegistry } from '@/server/sources/source-registry';

let dir: string;
let saved: SavedSourcesFile;
let registry: SourceRegistry;
let api: SourcesApi;
let told: string[];
/** Resolvers of sources that are being closed. */
let closing: (() => void)[];

/** A source that takes its time to close. */
function idleSource(): RunningSource {
  return {
    status: initialSourceStatus,
    start() {},
    pause() {},
    resume() {},
    close: () => new Promise((resolve) => closing.push(resolve)),
  };
}

beforeEach(() => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'xdscope-sources-'));
  saved = new SavedSourcesFile(dir);
  told = [];
  registry = new SourceRegistry({
    onChange: ({ id }) => told.push(`added ${id}`),
    onRemoved: (id) => told.push(`removed ${id}`),
  });
  api = new SourcesApi({ registry, saved, starterOf: () => idleSource });
  closing = [];
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const csds = { kind: 'csds', target: '127.0.0.1:1' };

describe('SourcesApi', () => {
  it('keeps a source that is added again while the one before is still closing', async () => {
    const { id } = api.add(csds);
    const removed = api.remove(id);
    api.add(csds);
    for (const resolve of closing) resolve();
    await removed;
    expect(saved.read().sources).toMatchObject([csds]);
    expect(registry.has(id)).toBe(true);
    expect(told).toEqual([`added ${id}`, `removed ${id}`, `added ${id}`]);
  });

  it('begins nothing that it cannot save, and says why', () => {
    mkdirSync(path.join(dir, 'sources.json.new'));
    expect(() => api.add(csds)).toThrow(
      expect.objectContaining({
        name: ApiError.name,
        status: 507,
        detail: expect.stringContaining('EISDIR'),
      }),
    );
    expect(registry.list()).toEqual([]);
  });
});
