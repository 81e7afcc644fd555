import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readBootstrap } from '@/server/transport/bootstrap/read-bootstrap';
import { corpusFolders } from '@/tests/support/builders/codec-corpus';

const files = corpusFolders
  .map((folder) => path.join(folder, 'bootstrap.json'))
  .filter((file) => existsSync(file));

describe('the bootstraps of real clients', () => {
  it.each(files)('%s is accepted', (file) => {
    const { servers, node } = readBootstrap({ file }, path.dirname(file));
    expect(servers[0]).toMatchObject({ credentials: { kind: 'insecure' }, features: new Set(['xds_v3']) });
    expect(node.id).not.toBe('');
  });
});
