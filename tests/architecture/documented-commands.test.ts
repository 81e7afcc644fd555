import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig, readMaintenance } from '@/server/config/read-config';
import { HelpRequested } from '@/server/config/read-flags';
import { projectRoot } from '@/server/project-root';
import { documentedCommands, fencedBlocks, userDocuments } from '../support/documented-commands';

const scratch = mkdtempSync(path.join(os.tmpdir(), 'xdscope-documented-'));

/** The config files that commands name: the document, and the position of the YAML block in it. */
const configFiles: Readonly<Record<string, readonly [string, number]>> = {
  'mesh.yaml': ['docs/sources.md', 0],
  'istio.yaml': ['docs/getting-started.md', 0],
  'envoy-gateway.yaml': ['docs/getting-started.md', 1],
};

const bootstrap = {
  xds_servers: [{ server_uri: '10.0.0.1:15010', channel_creds: [{ type: 'insecure' }] }],
  node: { id: 'shop-web' },
  server_listener_resource_name_template: 'server/%s',
};

function read(argv: readonly string[]) {
  const given = { argv, env: {}, cwd: scratch, version: '0.0.0' };
  return readMaintenance(given) ?? readConfig(given);
}

beforeAll(() => {
  for (const name of ['xds_bootstrap.json', 'federation.json'])
    writeFileSync(path.join(scratch, name), JSON.stringify(bootstrap));
  for (const [name, [document, index]] of Object.entries(configFiles))
    writeFileSync(path.join(scratch, name), fencedBlocks(document, 'yaml')[index] ?? '');
});

afterAll(() => rmSync(scratch, { recursive: true }));

describe('a command in README.md or docs', () => {
  const commands = documentedCommands();
  const starts = commands.filter(({ words }) => words.slice(0, 3).join(' ') === 'npm start --');
  const scripts = commands.filter(
    ({ words }) => words[0] === 'npm' && !starts.some((it) => it.words === words),
  );

  it('starts npm or curl, which are the programs that tests run', () => {
    const programs = new Set(commands.map(({ words }) => words[0]));
    expect([...programs].sort()).toEqual(['curl', 'npm']);
    expect(starts.length).toBeGreaterThan(20);
  });

  it.each(starts.map(({ file, words }) => [`${file}: ${words.join(' ')}`, words] as const))(
    'is accepted by the program: %s',
    (_, words) => {
      const argv = words
        .slice(3)
        .map((word) => (word === '/etc/grpc/xds_bootstrap.json' ? 'xds_bootstrap.json' : word));
      if (argv[0] === '--help') expect(() => read(argv)).toThrow(HelpRequested);
      else expect(() => read(argv)).not.toThrow();
    },
  );

  it('names a script of package.json', () => {
    const { scripts: known } = JSON.parse(readFileSync(path.join(projectRoot, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const named = scripts.map(({ words }) => (words[1] === 'run' ? words[2] : words[1]));
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((name) => name === undefined || !(name in known))).toEqual([]);
  });
});

describe('a YAML block in docs', () => {
  const blocks = userDocuments.flatMap((file) =>
    fencedBlocks(file, 'yaml').map((block, index) => [`${file}, block ${index + 1}`, block] as const),
  );

  it.each(blocks)('is a valid config file: %s', (_, block) => {
    const file = path.join(scratch, 'block.yaml');
    writeFileSync(file, block);
    expect(() => read(['--config', file])).not.toThrow();
  });
});
