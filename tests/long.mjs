// `npm run test:long`: the properties, as many examples of each as some seconds have room for, from a random seed.
// XDSCOPE_SEED=N repeats a run.
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../server/prepare.mjs';

const seed = process.env.XDSCOPE_SEED ?? String(randomInt(2 ** 31));
const ofLab = path.join('tests', 'e2e', 'lab');
const found = readdirSync(path.join(root, 'tests'), { recursive: true })
  .map((name) => path.join('tests', name))
  .filter((name) => /\.test\.tsx?$/.test(name) || name.startsWith(ofLab + path.sep))
  .filter((name) => /fc\.assert\(|isLong|hostile-config/.test(readFileSync(path.join(root, name), 'utf8')))
  .map((name) => (name.startsWith(ofLab) ? `${ofLab}.test.ts` : name));
const files = [...new Set(found)];

process.stdout.write(
  `${files.length} files with longer tests; XDSCOPE_SEED=${seed} npm run test:long repeats this run\n`,
);
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--testTimeout=120000'];
const { status } = spawnSync(process.execPath, [...vitest, ...process.argv.slice(2), ...files], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, XDSCOPE_LONG: '1', XDSCOPE_SEED: seed },
});
process.stdout.write(`seed ${seed}\n`);
process.exitCode = status ?? 1;
