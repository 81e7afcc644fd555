import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { projectRoot } from '@/server/project-root';

const hook = /^(?:before|after)(?:Each|All)\(/m;

/** Test files share processes: a hook that a module registers while it is loaded exists only in the first of them. */
it('modules of tests/support register no hooks while they are loaded', () => {
  const folder = path.join(projectRoot, 'tests', 'support');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
  );
  expect(files.length).toBeGreaterThan(50);
  expect(files.filter((file) => hook.test(readFileSync(path.join(folder, file), 'utf8')))).toEqual([]);
});
