import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { projectRoot } from '@/server/project-root';

/** These folders connect only to processes that xdscope starts: those of the lab, and the Envoy of a twin. */
const childrenOnly = ['server/lab/', 'server/lab/twin/'];
/** The scan must find at least these files. */
const known = ['server/transport/grpc/http2-connection.ts', 'server/collect/tap/proxy/dial-upstream.ts'];

function filesIn(dir: string): string[] {
  return readdirSync(path.join(projectRoot, dir), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|mjs)$/.test(name))
    .map((name) => `${dir}/${name.split(path.sep).join('/')}`);
}

/** True if the source imports a function that opens connections or resolves names. */
function opensConnections(source: string): boolean {
  const imports = source.matchAll(/import\s+(type\s+)?\{([^}]*)\}\s+from\s+'(?:node:)?([\w@/-]+)'/g);
  for (const [, isType, names = '', module = ''] of imports) {
    if (isType !== undefined) continue;
    const values = names
      .split(',')
      .map((name) => name.trim().split(/\s+as\s+/)[0] ?? '')
      .filter((name) => !name.startsWith('type '));
    const dials: Readonly<Record<string, readonly string[]>> = {
      net: ['connect', 'createConnection'],
      tls: ['connect'],
      http: ['request', 'get'],
      https: ['request', 'get'],
      http2: ['connect'],
      '@grpc/grpc-js': ['Client', 'makeClientConstructor'],
    };
    if (module.startsWith('dns') || values.some((name) => dials[module]?.includes(name))) return true;
  }
  return /import \* as \w+ from '(node:)?(net|tls|https?|http2|dns)'|(?<![.\w])fetch\(|new (TLS)?Socket\(/.test(
    source,
  );
}

it('every file that opens connections or resolves names uses the dial policy', () => {
  const dialling = [...filesIn('server'), ...filesIn('lib')].filter(
    (file) =>
      !childrenOnly.some((folder) => file.startsWith(folder)) &&
      opensConnections(readFileSync(path.join(projectRoot, file), 'utf8')),
  );
  const withoutPolicy = dialling.filter(
    (file) => !/\b(dialOptions|decideDial)\(/.test(readFileSync(path.join(projectRoot, file), 'utf8')),
  );
  expect(withoutPolicy).toEqual([]);
  expect(dialling).toEqual(expect.arrayContaining(known));
});
