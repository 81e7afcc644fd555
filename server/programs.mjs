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
  'recorder-worker': 'server/store/recorder/thread/recorder-worker.ts',
  'database-check': 'server/store/recorder/sqlite/database-check.ts',
  collector: 'server/sources/collector-program.ts',
  compute: 'server/compose/compute-program.ts',
  tap: 'server/collect/tap/tap-program.ts',
  file: 'server/files/import/file-program.ts',
  'check-server': 'server/lab/server-checks/check-server.ts',
  'run-interop': 'server/lab/interop-runs/run-interop.ts',
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
  // V8 copies each literal that is spread within another one. esbuild merges them: the summary of a client takes half as long.
  minifySyntax: true,
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
