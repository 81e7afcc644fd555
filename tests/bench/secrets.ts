import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { projectRoot } from '@/server/project-root';
import { median, print } from './measure';
import { bigDump } from './secrets-dump';
import type * as work from './secrets-work';

/** Compares the processor time of import and decoding with and without the rules by value, in alternation in one process. */
const goal = 1.15;
const rounds = 15;
const corpusDir = path.resolve(projectRoot, '..', 'shared', 'corpus', 'real');

/** Builds the same program without the rules by value: no text may hold a secret. */
const withoutRules: Plugin = {
  name: 'without-rules',
  setup({ onLoad }) {
    onLoad({ filter: /secrets[\\/](?:trigger-scan|redact-observation)\.ts$/ }, ({ path: file }) => ({
      contents: file.includes('trigger-scan')
        ? 'export const mayHoldSecretValue = () => false;'
        : 'export const redactObservation = (observation) => observation;',
      loader: 'ts',
    }));
  },
};

async function load(name: string, plugins: readonly Plugin[]): Promise<typeof work> {
  const outfile = path.join(projectRoot, '.build', 'bench', `${name}.mjs`);
  await build({
    absWorkingDir: projectRoot,
    entryPoints: ['tests/bench/secrets-work.ts'],
    ...{ outfile, bundle: true, format: 'esm', platform: 'node', target: 'node20', packages: 'external' },
    plugins: [...plugins],
    logLevel: 'error',
  });
  return (await import(pathToFileURL(outfile).href)) as typeof work;
}

function readFiles(dir: string): Buffer[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(dir, name))
    .filter((file) => statSync(file).isFile() && /\.(?:json|yaml|golden)$/.test(file))
    .map((file) => readFileSync(file));
}

function timed(run: () => number): { readonly ms: number; readonly result: number } {
  const before = process.cpuUsage();
  const result = run();
  const { user, system } = process.cpuUsage(before);
  return { ms: (user + system) / 1_000, result };
}

function compare(name: string, runWith: () => number, runWithout: () => number): void {
  const took = { with: [] as number[], without: [] as number[], ratio: [] as number[] };
  for (let round = 0; round < rounds + 2; round++) {
    const without = timed(runWithout);
    const withRules = timed(runWith);
    if (round < 2) continue;
    took.with.push(withRules.ms);
    took.without.push(without.ms);
    took.ratio.push(withRules.ms / without.ms);
  }
  const ratio = Math.min(...took.with) / Math.min(...took.without);
  print(
    `${name}: ${median(took.with).toFixed(1)} ms with, ${median(took.without).toFixed(1)} ms without; ` +
      `best of ${rounds}: ratio ${ratio.toFixed(3)}, median ${median(took.ratio).toFixed(3)} ` +
      `(goal ${goal}: ${ratio <= goal ? 'met' : 'MISSED'})`,
  );
}

const [rules, none] = await Promise.all([load('secrets-with', []), load('secrets-without', [withoutRules])]);
const dumps = new Map<string, readonly Buffer[]>([['generated config dump', [bigDump(2_000)]]]);
if (existsSync(corpusDir)) dumps.set('corpus', readFiles(corpusDir));
else print(`no corpus at ${corpusDir}`);
for (const [name, files] of dumps) {
  const readable = files.filter((file) => file.length > 0);
  const sum = (one: (file: Buffer) => number) => () => readable.reduce((total, file) => total + one(file), 0);
  compare(`import, ${name}`, sum(rules.importFile), sum(none.importFile));
  const resources = readable.flatMap((file) => rules.findResources(file));
  const bytes = resources.reduce((total, each) => total + each.bytes.length, 0);
  const times = Math.max(1, Math.round(8_000_000 / bytes));
  const repeat = (one: typeof rules) => (): number => {
    let total = 0;
    for (let time = 0; time < times; time++) total += one.decode(resources);
    return total;
  };
  compare(
    `decoding, ${name}, ${resources.length} resources, ${(bytes / 1e6).toFixed(1)} MB`,
    repeat(rules),
    repeat(none),
  );
}
