import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { bundleSupportProgram } from '../../support/recorder-bundle';

interface Measured {
  readonly heapMb: number;
  readonly clients: number;
  readonly groups: number;
  readonly sizes: Readonly<Record<string, number>>;
}

it('a source that reports 50,000 made-up clients: a limit applies, and all maps and the memory are as before when it is removed', () => {
  const program = bundleSupportProgram('client-flood-child');
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--expose-gc', program], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(status).toBe(0);
  const { before, flooded, after, logged } = JSON.parse(stdout) as {
    readonly before: Measured;
    readonly flooded: Measured;
    readonly after: Measured;
    readonly logged: number;
  };
  expect(flooded.clients).toBe(10_000);
  expect(logged).toBe(1_000 + 10_000);
  expect(flooded.heapMb).toBeGreaterThan(before.heapMb + 10);
  const {
    'live.#bySource': sourcesFlooded,
    'live.#revisions': revisionsFlooded,
    'nodes.#nodes': nodesFlooded,
  } = flooded.sizes;
  expect([sourcesFlooded, revisionsFlooded, nodesFlooded]).toEqual([1, 10_000, 10_000]);
  expect(after.clients).toBe(0);
  expect(after.groups).toBe(0);
  expect(after.sizes).toEqual(before.sizes);
  expect(after.heapMb).toBeLessThan(before.heapMb + 3);
});
