import { buildSync } from 'esbuild';
import { projectRoot } from '@/server/project-root';
import { workerProgram } from './worker-program';

/** Path of a worker program that serves these jobs, as source of an object, with the server's own serveJobs(). */
export function jobWorker(runners: string): string {
  const [built] = buildSync({
    stdin: {
      contents: `import { serveJobs } from '@/server/workers/serve-jobs'; serveJobs(${runners});`,
      resolveDir: projectRoot,
    },
    absWorkingDir: projectRoot,
    bundle: true,
    format: 'esm',
    platform: 'node',
    write: false,
    outfile: 'job-worker.mjs',
  }).outputFiles;
  return workerProgram(built?.text ?? '', { isWhole: true });
}
