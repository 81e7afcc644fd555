import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { ClientState } from '@/lib/observation/client-state';
import { foldObservation, type World } from '@/lib/observation/fold';
import type { Recorded } from '@/lib/observation/observation';
import { projectRoot } from '@/server/project-root';

/** Reads what xdscope recorded beside a real client; see the README of the folder. */
export function readKnownBug(name: string): Recorded[] {
  const file = path.join(projectRoot, 'tests/fixtures/known-bugs', `${name}.jsonl`);
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.map((line): Recorded => JSON.parse(line));
}

/** The client of the observations. */
export function clientAfter(history: readonly Recorded[]): ClientState {
  const world: World = new Map();
  for (const observation of history) foldObservation(world, observation);
  const [client] = world.values();
  if (client === undefined) throw new Error('the recording has no client');
  return client;
}

/** The evidence of a config on which no known bug depends. */
export const noConfigUse = {
  readUse: async () => ({ clusters: [], multiAddress: [], unmatchedRoutes: [] }),
};
