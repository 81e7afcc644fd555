import { describe, expect, it } from 'vitest';
import { cutName, findCommonParts, nothingCommon, splitName } from '@/lib/format/names/common-parts';

describe('findCommonParts', () => {
  it.each([
    [
      'ends at a separator',
      ['mesh-service-0001', 'mesh-service-0002'],
      { prefix: 'mesh-service-', suffix: '' },
    ],
    [
      'has both ends',
      ['cluster/a.example.com', 'cluster/bc.example.com'],
      { prefix: 'cluster/', suffix: '.example.com' },
    ],
    ['ignores short parts', ['svc-1', 'svc-2'], nothingCommon],
    ['is empty if one name differs', ['mesh-service-0001', 'mesh-service-0002', 'other'], nothingCommon],
    [
      'is empty for one name, which nothing distinguishes',
      ['mesh-service-0001', 'mesh-service-0001'],
      nothingCommon,
    ],
    ['is empty without names', [], nothingCommon],
  ])('%s', (_title, names, expected) => {
    expect(findCommonParts(names)).toEqual(expected);
  });

  it('keeps what distinguishes each name in the middle part', () => {
    const names = [
      'projects/shop/nodes/5cc9.example.com',
      'projects/shop/nodes/77.example.com',
      'projects/shop/nodes/x.example.com',
    ];
    const parts = names.map((name) => splitName(name, findCommonParts(names)));
    expect(parts.map(({ kept }) => kept)).toEqual(['5cc9', '77', 'x']);
    expect(parts.map(({ head, kept, tail }) => head + kept + tail)).toEqual(names);
  });

  it('keeps a name whole that is not of the list', () => {
    const common = { prefix: 'projects/', suffix: '.example.com' };
    expect(splitName('zone-b', common)).toEqual({ head: '', kept: 'zone-b', tail: '' });
  });

  it('does not repeat characters of a name whose common parts overlap', () => {
    const names = ['proxies/10.example.com', 'proxies/10.example.com/proxies/10.example.com'];
    for (const name of names) {
      const { head, kept, tail } = splitName(name, findCommonParts(names));
      expect(head + kept + tail).toBe(name);
    }
  });
});

describe('cutName', () => {
  const common = { prefix: 'projects/shop/nodes/', suffix: '.example.com' };
  it.each([
    ['projects/shop/nodes/5cc9.example.com', 40, 'projects/shop/nodes/5cc9.example.com'],
    ['projects/shop/nodes/5cc9.example.com', 34, 'projects/…p/nodes/5cc9.example.com'],
    ['projects/shop/nodes/5cc9.example.com', 20, 'proj…es/5cc9.exa…com'],
    ['projects/shop/nodes/5cc9.example.com', 8, 'proj…com'],
  ])('%s in %d', (name, maxChars, expected) => {
    expect(cutName(name, maxChars, common)).toBe(expected);
  });
});
