import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readBootstrap } from '@/server/bootstrap/read-bootstrap';
import { projectRoot } from '@/server/project-root';

const captures = path.join(projectRoot, '..', 'shared', 'corpus', 'captures');
const files = existsSync(captures)
  ? readdirSync(captures)
      .map((client) => path.join(captures, client, 'bootstrap.json'))
      .filter((file) => existsSync(file))
  : [];

describe.skipIf(files.length === 0)('the bootstraps of real clients (skipped without the corpus)', () => {
  it.each(files)('%s is read as it is', (file) => {
    const { servers, node } = readBootstrap({ file }, path.dirname(file));
    expect(servers[0]).toMatchObject({ credentials: { kind: 'insecure' }, features: new Set(['xds_v3']) });
    expect(node.id).not.toBe('');
  });
});
