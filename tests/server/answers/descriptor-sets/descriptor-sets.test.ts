import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DescriptorSets } from '@/server/answers/descriptor-sets/descriptor-sets';
import {
  descriptorSetsEntry,
  SavedDescriptorSets,
} from '@/server/answers/descriptor-sets/saved-descriptor-sets';
import { createCodec } from '@/server/codec/codec';
import { setUserTypes } from '@/server/codec/root';
import { acmeFilterSet, descriptorSet, fieldOf, fieldType } from '@/tests/support/builders/descriptor-set';
import { openKept } from '@/tests/support/test-state';

const filterType = 'type.googleapis.com/acme.v1.Filter';
const wrapperType = 'type.googleapis.com/acme.v2.Wrapper';
/** Depends on acmeFilterSet. */
const wrapperSet = descriptorSet({
  name: 'acme/wrapper.proto',
  package: 'acme.v2',
  syntax: 'proto3',
  dependency: ['acme/filter.proto'],
  messageType: [
    {
      name: 'Wrapper',
      field: [fieldOf({ name: 'filter', number: 1, type: fieldType.message, typeName: '.acme.v1.Filter' })],
    },
  ],
});
const filterBytes = Buffer.from('0a0166', 'hex');

let dataDir: string;
/** All work is done in the worker thread, as for large bodies. */
const codec = createCodec({ redactionKey: Buffer.from('tests'), inPlaceBytes: -1 });
let changes = 0;

async function open(files: readonly string[] = []): Promise<DescriptorSets> {
  const saved = new SavedDescriptorSets(await openKept(descriptorSetsEntry, dataDir));
  const sets = new DescriptorSets({ codec, saved, onChange: () => changes++ });
  await sets.open(files);
  return sets;
}

async function decodeInWorker(typeUrl: string, bytes: Uint8Array): Promise<unknown> {
  const [decoded] = await codec.decodeMany([{ typeUrl, bytes }]);
  return decoded?.json;
}

afterAll(() => codec.close());
beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'xdscope-sets-'));
  changes = 0;
});
afterEach(async () => {
  setUserTypes([]);
  rmSync(dataDir, { recursive: true });
});

describe('descriptor sets of users', () => {
  it('apply to the running worker at once, and are removed from it', async () => {
    const sets = await open();
    expect(await decodeInWorker(filterType, filterBytes)).toHaveProperty(['xdscope.opaque']);
    const added = await sets.add('acme', acmeFilterSet);
    expect(added).toMatchObject({ ok: true, set: { name: 'acme', origin: 'browser', problem: undefined } });
    expect(changes).toBe(1);
    expect(await decodeInWorker(filterType, filterBytes)).toEqual({ filterName: 'f' });
    expect(codec.decode(filterType, filterBytes).json).toEqual({ filterName: 'f' });
    const [set] = sets.list();
    expect(await sets.remove(set?.id ?? '')).toBe(true);
    expect(await decodeInWorker(filterType, filterBytes)).toHaveProperty(['xdscope.opaque']);
    expect(sets.list()).toEqual([]);
  });

  it('are restored after a restart', async () => {
    await (await open()).add('acme', acmeFilterSet);
    setUserTypes([]);
    const sets = await open();
    expect(sets.list()).toMatchObject([{ name: 'acme', types: ['acme.v1.Filter', 'acme.v1.Mode'] }]);
    expect(codec.decode(filterType, filterBytes).json).toEqual({ filterName: 'f' });
  });

  it('can depend on one another; a set whose dependency is removed reports it until that is added again', async () => {
    const sets = await open();
    expect(await sets.add('wrapper', wrapperSet)).toMatchObject({
      ok: false,
      reason: expect.stringContaining('not in the set: acme/filter.proto'),
    });
    await sets.add('acme', acmeFilterSet);
    expect(await sets.add('wrapper', wrapperSet)).toMatchObject({ ok: true });
    const bytes = Buffer.from('0a030a0166', 'hex');
    expect(await decodeInWorker(wrapperType, bytes)).toEqual({ filter: { filterName: 'f' } });
    await sets.remove(sets.list()[0]?.id ?? '');
    expect(sets.list()).toMatchObject([
      { name: 'wrapper', problem: expect.stringContaining('acme.v1.Filter') },
    ]);
    expect(await decodeInWorker(wrapperType, bytes)).toHaveProperty(['xdscope.opaque']);
  });

  it('are added only once', async () => {
    const sets = await open();
    const [first, second] = await Promise.all([sets.add('a', acmeFilterSet), sets.add('b', acmeFilterSet)]);
    expect(second).toEqual(first);
    expect(sets.list()).toHaveLength(1);
  });

  it('can be set by a flag, and must be valid then', async () => {
    const file = path.join(dataDir, 'acme.binpb');
    writeFileSync(file, acmeFilterSet);
    const sets = await open([file]);
    expect(sets.list()).toMatchObject([{ name: 'acme.binpb', origin: 'flag' }]);
    expect(await sets.remove(sets.list()[0]?.id ?? '')).toBe(false);
    writeFileSync(file, 'no set');
    await expect(open([file])).rejects.toThrow(
      /--descriptor-set .*acme\.binpb: expected a FileDescriptorSet/,
    );
    await expect(open(['/nowhere.binpb'])).rejects.toThrow(/expected a file that can be read/);
  });
});
