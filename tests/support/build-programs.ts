import { spawnSync } from 'node:child_process';
import { projectRoot } from '@/server/project-root';

/** Builds the worker threads and child processes, which tests and servers run from .build/. */
export default function buildPrograms(): void {
  if (process.env.XDSCOPE_BUILT === '1') return;
  const built = spawnSync(process.execPath, ['server/build.mjs', '--server'], {
    cwd: projectRoot,
    stdio: 'inherit',
  });
  if (built.status !== 0) throw new Error(`server/build.mjs --server ended with ${built.status}`);
  process.env.XDSCOPE_BUILT = '1';
}
