import { execFileSync } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build, type Plugin } from 'esbuild';
import { makeConfigDump } from '../support/builders/big-dump';
import { median, print, tempDir } from './measure';
import type { ReadDump } from './read-dump';

const aim = 1.15;
const rounds = 9;

/** Replaces the scan that decides which texts the rules by value are applied to: it finds none. */
const noRulesByValue: Plugin = {
  name: 'no rules by value',
  setup({ onLoad }) {
    onLoad({ filter: /codec\/secrets\/trigger-scan\.ts$/ }, () => ({
      contents: 'export const mayHoldSecretValue = () => false;',
    }));
  },
};

async function buildReader(name: string, plugins: Plugin[]): Promise<string> {
  const outfile = path.resolve(`.build/bench/read-dump-${name}.mjs`);
  await build({
    entryPoints: ['tests/bench/read-dump.ts'],
    ...{ outfile, plugins, bundle: true, format: 'esm', platform: 'node', target: 'node20' },
    ...{ packages: 'external', logLevel: 'warning' },
  });
  return outfile;
}

const given = process.env.XDSCOPE_BENCH_FILE;
const file = given ?? path.join(tempDir(), 'config_dump.json');
const size = { clusters: 8_000, routes: 4_000, routesPerConfig: 50, endpoints: 16_000 };
if (given === undefined) writeFileSync(file, [...makeConfigDump(size)].join(''));
const readers = {
  with: await buildReader('with', []),
  without: await buildReader('without', [noRulesByValue]),
};
const read = (reader: keyof typeof readers): ReadDump =>
  JSON.parse(
    execFileSync(process.execPath, [...process.execArgv, readers[reader], file], { encoding: 'utf8' }),
  ) as ReadDump;

const taken: { readonly with: ReadDump; readonly without: ReadDump }[] = [];
for (let round = 0; round < rounds; round++) {
  // The second one of a pair finds the file in memory, and a processor that is warm.
  const first = round % 2 === 0 ? 'with' : 'without';
  const [a, b] = [read(first), read(first === 'with' ? 'without' : 'with')];
  taken.push(first === 'with' ? { with: a, without: b } : { with: b, without: a });
}
const ms = (reader: 'with' | 'without'): number => median(taken.map((each) => each[reader].cpuMs));
const ratio = median(taken.map((each) => each.with.cpuMs / each.without.cpuMs));
const { resources } = taken[0]?.with ?? { resources: 0 };
print(
  `a config dump of ${(statSync(file).size / 1e6).toFixed(0)} MB, ${resources} resources: read, redacted and hashed`,
);
print(`  with the rules by value      ${ms('with').toFixed(0)} ms of the processor (median of ${rounds})`);
print(`  without them                 ${ms('without').toFixed(0)} ms`);
print(
  `  ratio                        ${ratio.toFixed(3)} (${ratio < aim ? 'aim met' : 'AIM NOT MET'}: under ${aim})`,
);
