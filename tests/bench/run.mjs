// `npm run bench -- fleet diff`: builds the server's programs, then measures what is named (everything by default).
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** By name: its program. */
const programs = {
  'client-flood': 'client-flood',
  decode: 'decode',
  diff: 'diff',
  fleet: 'fleet',
  import: 'import-dump',
  lb: 'lb',
  log: 'log',
  lrs: 'lrs',
  'page-bytes': 'page-bytes',
  restart: 'restart',
  secrets: 'secrets',
  sotw: 'sotw',
};

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const run = (...args) => spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1;
/** Their memory is measured: started with the settings of malloc and V8 that `npm start` has. */
const startedAsServer = new Set(['sotw']);

/** "exec COMMAND server/start.mjs" */
const startWords = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')).scripts.start.split(' ');
const [command, ...flags] = startWords.slice(1, -1);
const runAsServer = (...args) =>
  spawnSync(command, [...flags, ...args], { cwd: root, stdio: 'inherit' }).status ?? 1;
const names = process.argv.slice(2);
const known = Object.keys(programs);
const unknown = names.find((name) => !known.includes(name));
if (unknown !== undefined) throw new Error(`bench: expected ${known.join(', ')}, got "${unknown}"`);

// A whole server, or a browser, needs the pages as well.
const needsPages =
  names.length === 0 ||
  ['import', 'fleet', 'page-bytes', 'restart', 'client-flood'].some((name) => names.includes(name));
if (run('server/build.mjs', ...(needsPages ? [] : ['--server'])) !== 0) process.exit(1);
for (const name of names.length === 0 ? known : names) {
  const outfile = `.build/bench/${name}.mjs`;
  await build({
    absWorkingDir: root,
    entryPoints: [`tests/bench/${programs[name]}.ts`],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    logLevel: 'warning',
  });
  const code = startedAsServer.has(name) ? runAsServer(outfile) : run('--max-old-space-size=4096', outfile);
  if (code !== 0) process.exit(code);
}
