import { execFile } from 'node:child_process';

/** Debian's Python is first, because another Python earlier in PATH does not find Debian's python3-grpcio. */
const candidates = ['/usr/bin/python3', 'python3'];

const probe = [
  'import grpc',
  'import google.protobuf',
  'from grpc._cython import cygrpc',
  'cygrpc.dump_xds_configs',
  'print(grpc.__version__)',
].join('\n');

type PythonFound =
  | { readonly kind: 'found'; readonly command: string; readonly grpcVersion: string }
  | { readonly kind: 'absent'; readonly reason: string };

/** Finds a Python 3 with protobuf whose grpcio can dump the state of its xDS client. */
export async function findPython(commands: readonly string[] = candidates): Promise<PythonFound> {
  const reasons: string[] = [];
  for (const command of commands) {
    const tried = await tryPython(command);
    if (tried.kind === 'found') return tried;
    reasons.push(`${command}: ${tried.reason}`);
  }
  return { kind: 'absent', reason: reasons.join('; ') };
}

function tryPython(command: string): Promise<PythonFound> {
  return new Promise((resolve) => {
    execFile(command, ['-c', probe], { timeout: 60_000 }, (error, stdout, stderr) => {
      if (error === null) return resolve({ kind: 'found', command, grpcVersion: stdout.trim() });
      const missing = 'code' in error && error.code === 'ENOENT';
      const lastLine = stderr.trim().split('\n').at(-1);
      resolve({ kind: 'absent', reason: missing ? 'not found' : lastLine || error.message });
    });
  });
}
