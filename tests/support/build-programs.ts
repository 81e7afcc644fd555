import { spawnSync } from 'node:child_process';
import { projectRoot } from '@/server/project-root';

/** Worker threads and child processes run from .build/, in the tests as in the server. */
export default function buildPrograms(): void {
  if (process.env.XDSCOPE_BUILT === '1') return;
  const built = spawnSync(process.execPath, ['server/build.mjs', '--server'], {
    cwd: projectRoot,
    stdio: 'inherit',
  });
  if (built.status !== 0) throw new Error(`server/build.mjs --server ended with ${built.status}`);
  process.env.XDSCOPE_BUILT = '1';
}
