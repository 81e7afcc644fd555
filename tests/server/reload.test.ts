import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { projectRoot } from '@/server/project-root';
import { tempDataDir } from '../support/recorder-temp-dir';
import { waitUntil } from '../support/wait-until';

interface Reload {
  runWithReload(options: {
    readonly build: object;
    readonly args: readonly string[];
    readonly env: NodeJS.ProcessEnv;
    readonly onBuildFailed: () => void;
    readonly onExit: (code: number | null) => void;
  }): Promise<() => Promise<void>>;
}

/** Appends a line to a file when it starts and when it ends, and exits by itself where it is "faulty". */
const program = (what: string) => `
import { appendFileSync } from 'node:fs';
const write = (text: string) => appendFileSync(process.argv[2] ?? '', text + '\\n');
process.on('SIGTERM', () => { write('${what} ended'); process.exit(0); });
write('${what} started');
if ('${what}' === 'faulty') process.exit(3);
setInterval(() => undefined, 1_000);
`;

it('the development server is built and restarted after each change, and left running after a build that fails', async () => {
  const folder = tempDataDir();
  const [source, out, lines] = ['server.ts', 'server.mjs', 'lines'].map((name) => path.join(folder, name));
  if (source === undefined || out === undefined || lines === undefined) throw new Error('no paths');
  writeFileSync(lines, '');
  writeFileSync(source, program('first'));
  const reload = pathToFileURL(path.join(projectRoot, 'server', 'reload.mjs')).href;
  const { runWithReload }: Reload = await import(/* @vite-ignore */ reload);
  let failedBuilds = 0;
  const exits: (number | null)[] = [];
  const end = await runWithReload({
    build: {
      entryPoints: [source],
      outfile: out,
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'silent',
    },
    args: [out, lines],
    env: process.env,
    onBuildFailed: () => {
      failedBuilds += 1;
    },
    onExit: (code) => exits.push(code),
  });
  const written = () => readFileSync(lines, 'utf8').split('\n').slice(0, -1);
  const isLast = (text: string) => waitUntil(text, () => written().at(-1) === text);
  try {
    await isLast('first started');
    writeFileSync(source, program('second'));
    await isLast('second started');
    writeFileSync(source, 'const = ;');
    await waitUntil('the build fails', () => failedBuilds === 1);
    expect(written().at(-1)).toBe('second started');
    writeFileSync(source, program('faulty'));
    await waitUntil('the faulty server exits', () => exits.length === 1);
    writeFileSync(source, program('third'));
    await isLast('third started');
  } finally {
    await end();
  }

  expect(written()).toEqual([
    ...['first started', 'first ended', 'second started', 'second ended'],
    ...['faulty started', 'third started', 'third ended'],
  ]);
  expect(exits).toEqual([3]);
});
