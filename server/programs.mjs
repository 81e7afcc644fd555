// esbuild builds the programs of the server, and the one program of the browser that Next does not build.

/**
 * Packages are bundled, because each thread loads them again: from their files that takes three times as much processor
 * time. Next and libsql find their own files, which a bundle does not contain.
 */
const external = ['next', 'libsql'];

/** Bundled CommonJS packages require modules of Node. */
const banner = {
  js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
};

/** These programs have an entry of their own: the process, worker threads, child processes of the lab. */
const programs = {
  main: 'server/main.ts',
  'recorder-worker': 'server/recorder/thread/recorder-worker.ts',
  'database-check': 'server/recorder/sqlite/database-check.ts',
  'load-worker': 'server/recorder/load/load-worker.ts',
  collector: 'server/sources/collector-program.ts',
  'codec-worker': 'server/codec/codec-worker.ts',
  'tap-relay-worker': 'server/tap/proxy/tap-relay-worker.ts',
  'tap-recording-worker': 'server/tap/recording/tap-recording-worker.ts',
  'csds-worker': 'server/csds/csds-worker.ts',
  'envoy-admin-worker': 'server/envoy-admin/envoy-admin-worker.ts',
  'graph-worker': 'server/answers/graph/graph-worker.ts',
  'convergence-worker': 'server/convergence/convergence-worker.ts',
  'validation-worker': 'server/validate/validation-worker.ts',
  'search-worker': 'server/search/search-worker.ts',
  'diff-worker': 'server/diff/diff-worker.ts',
  'file-worker': 'server/files/import/file-worker.ts',
  'recording-worker': 'server/files/import/recording-worker.ts',
  'server-checks-worker': 'server/server-checks/server-checks-worker.ts',
  'check-server': 'server/server-checks/check-server.ts',
  'run-interop': 'server/interop-runs/run-interop.ts',
};

const programBuild = (root) => ({
  absWorkingDir: root,
  outdir: '.build',
  outExtension: { '.js': '.mjs' },
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: 'linked',
  logLevel: 'warning',
});

export const serverBuild = (root) => ({ ...programBuild(root), entryPoints: programs, external, banner });

/** grpc-js-xds reads proto files of its package. */
export const labClientBuild = (root) => ({
  ...programBuild(root),
  entryPoints: {
    'lab-client': 'server/lab/client-process.ts',
    'test-client': 'server/lab/test-client/test-client-program.ts',
    'twin-client': 'server/lab/twin-client/twin-client-program.ts',
    'test-server': 'server/lab/test-server/test-server-program.ts',
  },
  packages: 'external',
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
