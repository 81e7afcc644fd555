// `npm run bench -- graph resolve`: builds the server's programs, then measures what is named (everything by default).
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** By program: the names that it measures. */
const programs = {
  'big-client': ['graph', 'csds'],
  convergence: ['convergence'],
  decode: ['decode'],
  'import-dump': ['import'],
  diff: ['diff'],
  fleet: ['fleet'],
  history: ['history'],
  import: ['import'],
  lb: ['lb'],
  log: ['log'],
  lrs: ['lrs'],
  'page-bytes': ['page-bytes'],
  resolve: ['resolve'],
  'resolve-client': ['resolve'],
  restart: ['restart'],
  'client-flood': ['client-flood'],
  secrets: ['secrets'],
  sotw: ['sotw'],
  tap: ['tap'],
  validate: ['validate'],
};

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const run = (...args) => spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1;
/** Of which the memory counts: begun as `npm start` begins the server, with what that reports malloc and V8. */
const begunAsServer = new Set(['sotw']);

/** "exec COMMAND server/start.mjs" */
const startWords = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')).scripts.start.split(' ');
const [command, ...flags] = startWords.slice(1, -1);
const runAsServer = (...args) => {
  const given = [...flags, '--import', './tests/bench/tell-memory.mjs', ...args];
  return spawnSync(command, given, { cwd: root, stdio: 'inherit' }).status ?? 1;
};
const names = process.argv.slice(2);
const known = Object.values(programs).flat();
const stranger = names.find((name) => !known.includes(name));
if (stranger !== undefined) throw new Error(`bench: expected ${known.join(', ')}, got "${stranger}"`);

// What is looked at in a browser needs the pages, too.
const needsPages =
  names.length === 0 ||
  ['history', 'import', 'fleet', 'page-bytes', 'restart', 'client-flood'].some((name) =>
    names.includes(name),
  );
if (run('server/build.mjs', ...(needsPages ? [] : ['--server'])) !== 0) process.exit(1);
for (const [program, measures] of Object.entries(programs)) {
  const wanted = measures.filter((name) => names.includes(name));
  if (names.length > 0 && wanted.length === 0) continue;
  const outfile = `.build/bench/${program}.mjs`;
  await build({
    absWorkingDir: root,
    entryPoints: [`tests/bench/${program}.ts`],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    logLevel: 'warning',
  });
  const code = begunAsServer.has(program)
    ? runAsServer(outfile, ...wanted)
    : run('--max-old-space-size=4096', outfile, ...wanted);
  if (code !== 0) process.exit(code);
}
