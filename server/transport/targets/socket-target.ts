import { type ParsedTarget, parseTarget } from './target';

/** The longest path of a Unix socket on Linux. */
const maxPathBytes = 107;

/** Parses `host:port`, or `unix:/path` for a Unix socket of this machine. */
export function parseSocketTarget(text: string): ParsedTarget {
  const [, socketPath] = /^unix:(?:\/\/(?=\/))?(.*)$/.exec(text.trim()) ?? [];
  if (socketPath === undefined) return parseTarget(text);
  const reject = (expected: string, got: string): ParsedTarget => ({
    ok: false,
    problem: {
      code: 'BAD_TARGET',
      message: `expected unix: and ${expected}, got ${got}`,
      hint: 'as in unix:/run/envoy/admin.sock',
    },
  });
  if (!socketPath.startsWith('/') || socketPath.includes('\0'))
    return reject('an absolute path', JSON.stringify(socketPath.slice(0, 200)));
  const bytes = Buffer.byteLength(socketPath);
  if (bytes > maxPathBytes) return reject(`a path of at most ${maxPathBytes} bytes`, `${bytes} bytes`);
  return { ok: true, target: { host: 'localhost', port: 0, text: `unix:${socketPath}`, socketPath } };
}
