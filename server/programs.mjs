// esbuild builds the programs of the server, and the one program of the browser that Next does not build.
import { readFileSync } from 'node:fs';

const { dependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** Packages that Node loads at run time. D3 is bundled, because the server needs a few functions of its thirty packages. */
const external = Object.keys(dependencies).filter((name) => name !== 'd3');

/** These programs have an entry of their own: the process, worker threads, child processes of the lab. */
const programs = {
  main: 'server/main.ts',
  'recorder-worker': 'server/recorder/thread/recorder-worker.ts',
  'load-worker': 'server/recorder/load/load-worker.ts',
  'codec-worker': 'server/codec/codec-worker.ts',
  'probe-worker': 'server/xds/probe/probe-worker.ts',
  'tap-relay-worker': 'server/tap/proxy/tap-relay-worker.ts',
  'tap-recording-worker': 'server/tap/recording/tap-recording-worker.ts',
  'csds-poll-worker': 'server/csds/csds-poll-worker.ts',
  'csds-worker': 'server/csds/csds-worker.ts',
  'lrs-worker': 'server/lrs/lrs-worker.ts',
  'envoy-admin-poll-worker': 'server/envoy-admin/envoy-admin-poll-worker.ts',
  'envoy-admin-worker': 'server/envoy-admin/envoy-admin-worker.ts',
  'istiod-worker': 'server/istiod/istiod-worker.ts',
  'graph-worker': 'server/answers/graph/graph-worker.ts',
  'convergence-worker': 'server/convergence/convergence-worker.ts',
  'validation-worker': 'server/validate/validation-worker.ts',
  'diff-worker': 'server/diff/diff-worker.ts',
  'file-worker': 'server/files/import/file-worker.ts',
  'recording-worker': 'server/files/import/recording-worker.ts',
  'lab-client': 'server/lab/client-process.ts',
};

export const serverBuild = (root) => ({
  absWorkingDir: root,
  entryPoints: programs,
  outdir: '.build',
  outExtension: { '.js': '.mjs' },
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external,
  sourcemap: 'linked',
  logLevel: 'warning',
});

export const streamWorkerBuild = (root) => ({
  absWorkingDir: root,
  entryPoints: { 'stream-worker': 'app/_stream/shared-worker.ts' },
  outdir: 'public/generated',
  bundle: true,
  format: 'iife',
  platform: 'browser',
  target: 'es2022',
  minify: true,
  logLevel: 'warning',
});
