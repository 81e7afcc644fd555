import { mkdirSync, mkdtempSync, rmSync, utimesSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findClientPrograms } from '@/server/lab/interop-runs/find-client-programs';

it('finds the client of the lab, and those of the cache with the newest version first', async () => {
  const cache = mkdtempSync(path.join(os.tmpdir(), 'xdscope-clients-'));
  onTestFinished(() => rmSync(cache, { recursive: true }));
  const folder = path.join(cache, 'interop-grpc-go');
  for (const name of ['1.9.0-0a1b2c3d', '1.85.0-0a1b2c3d', '1.86.0-0a1b2c3d.4711'])
    mkdirSync(path.join(folder, name), { recursive: true });
  // An earlier preparation of a version is not the one that is run.
  const earlier = path.join(folder, '1.85.0-ffffffff');
  mkdirSync(earlier);
  utimesSync(earlier, 1_000, 1_000);
  const [lab, ...built] = await findClientPrograms(cache);
  expect(lab).toMatchObject({ name: 'grpc-js', version: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
  // A version has its newest build. A folder whose name ends with a process id is not complete.
  expect(built).toEqual([
    { name: 'grpc-go', version: '1.85.0', command: [path.join(folder, '1.85.0-0a1b2c3d', 'program')] },
    { name: 'grpc-go', version: '1.9.0', command: [path.join(folder, '1.9.0-0a1b2c3d', 'program')] },
  ]);
  expect(await findClientPrograms(path.join(cache, 'absent'))).toEqual([lab]);
});
