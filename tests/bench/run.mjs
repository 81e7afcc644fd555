// `npm run bench -- fleet diff`: builds the server's programs, then runs these benchmarks (all by default).
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
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

/** Prints how long a fixed piece of work takes now, so that the figures of different days and machines can be compared. */
function printMachineSpeed() {
  const items = Array.from({ length: 5_000 }, (_, at) => ({
    name: `cluster-${at}`,
    at,
    tags: [at % 7, `${at}`],
  }));
  const text = JSON.stringify(items);
  const startedAt = performance.now();
  const before = process.cpuUsage();
  for (let round = 0; round < 120; round++) {
    createHash('sha256').update(text).digest();
    JSON.parse(text);
  }
  const { user, system } = process.cpuUsage(before);
  const wallMs = performance.now() - startedAt;
  const processorMs = ((user + system) / 1_000).toFixed(0);
  process.stdout.write(
    `machine: a fixed piece of work took ${processorMs} ms of processor, ${wallMs.toFixed(0)} ms by the clock\n`,
  );
}

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
    minifySyntax: true,
    logLevel: 'warning',
  });
  printMachineSpeed();
  const code = runAsServer(outfile);
  if (code !== 0) process.exit(code);
}
