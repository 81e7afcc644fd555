// `npm run bench -- fleet diff`: builds the server's programs, then runs these benchmarks (all by default).
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { processSettings } from '../../server/process-settings.mjs';

/** Each benchmark, with true if it starts a whole server, which needs the pages. */
const programs = {
  check: false,
  decode: false,
  diff: false,
  explain: false,
  fleet: true,
  heads: true,
  import: true,
  issues: false,
  log: false,
  lrs: true,
  'page-bytes': true,
  redaction: false,
  restart: true,
  search: false,
  sotw: false,
  store: false,
  team: true,
};

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const run = (...args) => spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1;
/** Each runs with the settings of malloc and V8 of `npm start`, but may hold what it compares. */
const runAsServer = (...args) =>
  spawnSync(process.execPath, [...processSettings.flags, '--max-old-space-size=4096', ...args], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...processSettings.env },
  }).status ?? 1;
const names = process.argv.slice(2);
const known = Object.keys(programs);
const unknown = names.find((name) => !known.includes(name));
if (unknown !== undefined) throw new Error(`bench: expected ${known.join(', ')}, got "${unknown}"`);

const chosen = names.length === 0 ? known : names;
const needsPages = chosen.some((name) => programs[name]);
if (run('server/build.mjs', ...(needsPages ? [] : ['--server'])) !== 0) process.exit(1);
for (const name of chosen) {
  const outfile = `.build/bench/${name}.mjs`;
  await build({
    absWorkingDir: root,
    entryPoints: [`tests/bench/${name}.ts`],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    logLevel: 'warning',
  });
  const code = runAsServer(outfile);
  if (code !== 0) process.exit(code);
}
