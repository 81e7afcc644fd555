import { beforeEach, describe, expect, it } from 'vitest';
import { foldObservation, type World } from '@/lib/observation/fold';
import type { NodeInfo, Recorded } from '@/lib/observation/observation';
import { NodeWatcher } from '@/server/live/fleet/node-watcher';
import { SavedNodeChanges } from '@/server/live/fleet/saved-node-changes';
import { sampleNode, sampleReport } from '../../../support/builders/observation-samples';
import { openTestState } from '../../../support/test-state';

let seq = 0;
beforeEach(() => {
  seq = 0;
});

function reported(
  id: string,
  version: string,
  sourceId = 'csds:a:1',
  more: Partial<NodeInfo> = {},
): Recorded {
  const node = { ...sampleNode(id), metadata: { version }, ...more };
  return { ...sampleReport({ clientId: id, sourceId, node, at: seq }), seq: ++seq };
}

const words = (watcher: NodeWatcher) =>
  watcher
    .list()
    .map(({ clientId, changes, times }) => [
      clientId,
      times,
      ...changes.map(({ before, after }) => `${before} > ${after}`),
    ]);

describe('NodeWatcher over a restart', () => {
  it('restores the kept changes, and counts those of the tail and of the next run once', async () => {
    const file = new SavedNodeChanges(await openTestState());
    const world: World = new Map();
    const first = new NodeWatcher(world, await file.read());
    const begin = [reported('a', 'v1'), reported('b', 'v1'), reported('a', 'v2'), reported('a', 'v3')];
    for (const each of begin) first.observe(each);
    // A checkpoint, with the file beside it; then the process is killed.
    for (const each of begin.slice(0, 3)) foldObservation(world, each);
    await file.save(first);
    const tail = [reported('b', 'v2'), reported('a', 'v3')];

    const second = new NodeWatcher(world, await file.read());
    expect(words(second)).toEqual([['a', 2, 'v2 > v3']]);
    for (const each of [...begin.slice(3), ...tail]) second.replay(each);
    expect(words(second)).toEqual([
      ['b', 1, 'v1 > v2'],
      ['a', 2, 'v2 > v3'],
    ]);
    // While xdscope was away.
    second.observe(reported('a', 'v4'));
    expect(words(second)[0]).toEqual(['a', 3, 'v3 > v4']);
    await file.save(second);
    expect(words(new NodeWatcher(world, await file.read()))).toEqual(words(second));
  });

  it('keeps some of many changed fields, and counts the others', () => {
    const watcher = new NodeWatcher(new Map());
    const many = (value: string) =>
      Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`key${index}`, value]));
    watcher.observe(reported('a', 'v1', 'csds:a:1', { metadata: many('old') }));
    watcher.observe(reported('a', 'v1', 'csds:a:1', { metadata: many('new') }));
    const [found] = watcher.list();
    expect([found?.changes.length, found?.others]).toEqual([8, 22]);
  });

  it('drops the least recent ones when there are too many', () => {
    const watcher = new NodeWatcher(new Map());
    for (let index = 0; index < 10_001; index++) {
      watcher.observe(reported(`c${index}`, 'v1'));
      watcher.observe(reported(`c${index}`, 'v2'));
    }
    expect(watcher.list()).toHaveLength(10_000);
    expect(watcher.list().at(-1)?.clientId).toBe('c1');
  });
});
