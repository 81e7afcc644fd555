import { describe, expect, it } from 'vitest';
import { matchesNode, type NodeMatcherMessage } from '@/server/lab/management-server/node-matcher';

describe('matchesNode', () => {
  it.each<[NodeMatcherMessage[], boolean]>([
    [[], true],
    [[{}], true],
    [[{ nodeId: { exact: 'shop-web' } }], true],
    [[{ nodeId: { exact: 'shop' } }], false],
    [[{ nodeId: { exact: 'SHOP-WEB', ignoreCase: true } }], true],
    [[{ nodeId: { prefix: 'shop-' } }], true],
    [[{ nodeId: { suffix: '-web' } }], true],
    [[{ nodeId: { contains: 'p-w' } }], true],
    [[{ nodeId: { exact: 'a' } }, { nodeId: { prefix: 'shop' } }], true],
  ])('%j on "shop-web": %s', (matchers, expected) => {
    expect(matchesNode(matchers, 'shop-web')).toBe(expected);
  });

  it.each<[NodeMatcherMessage, RegExp]>([
    [{ nodeMetadatas: [{}] }, /expected node_id only, got node_metadatas/],
    [{ nodeId: { safeRegex: {} } }, /expected exact, prefix, suffix or contains/],
    [{ nodeId: {} }, /expected a match_pattern, got none/],
  ])('rejects %j', (matcher, reason) => {
    expect(() => matchesNode([matcher], 'n')).toThrow(reason);
  });
});
