import { describe, expect, it } from 'vitest';
import { findCycles } from '../support/find-cycles';
import { readImports } from '../support/project-imports';

describe('imports', () => {
  it('have no cycles, type-only imports included', () => {
    const graph = new Map<string, Set<string>>();
    for (const { file, target } of readImports(['app', 'lib', 'server'])) {
      const name = file.replace(/\.tsx?$/, '');
      const targets = graph.get(name) ?? new Set();
      graph.set(name, targets.add(target));
    }
    expect(findCycles(graph)).toEqual([]);
  });
});

/** Folders that import each other, though none of their files do. The list may only become shorter. */
const knownCycles = [
  [
    ...[
      'server/bootstrap',
      'server/config',
      'server/csds',
      'server/envoy-admin',
      'server/files',
      'server/istiod',
    ],
    ...['server/lrs', 'server/sources', 'server/tap', 'server/xds'],
  ],
];

describe('folders', () => {
  const imports = readImports(['app', 'lib', 'server']).map(
    ({ file, target }) => [file.replace(/\.tsx?$/, ''), target] as const,
  );
  const folders = new Set(
    imports.flatMap(([file]) => file.split('/').map((_, index, parts) => parts.slice(0, index).join('/'))),
  );

  it('have no cycles but the known ones among their files and sub-folders, each sub-folder taken as a whole', () => {
    const cycles = [...folders].flatMap((folder) => {
      const prefix = folder === '' ? '' : `${folder}/`;
      const entryOf = (name: string): string => prefix + name.slice(prefix.length).split('/', 1);
      const graph = new Map<string, Set<string>>();
      for (const [file, target] of imports) {
        if (!file.startsWith(prefix) || !target.startsWith(prefix)) continue;
        const [from, to] = [entryOf(file), entryOf(target)];
        if (from !== to) graph.set(from, (graph.get(from) ?? new Set()).add(to));
      }
      return findCycles(graph);
    });
    expect(cycles).toEqual(knownCycles);
  });
});

describe('findCycles()', () => {
  it.each([
    ['no edges', [], []],
    ['a chain', ['a b', 'b c'], []],
    ['two paths to one end', ['a b', 'a c', 'b d', 'c d'], []],
    ['two files', ['a b', 'b a', 'b c'], [['a', 'b']]],
    ['two cycles that share a file', ['a b', 'b a', 'b c', 'c b'], [['a', 'b', 'c']]],
    ['a file that imports itself', ['a a'], [['a']]],
  ])('%s', (_, edges, cycles) => {
    const graph = new Map<string, Set<string>>();
    for (const edge of edges) {
      const [from = '', to = ''] = edge.split(' ');
      graph.set(from, (graph.get(from) ?? new Set()).add(to));
    }
    expect(findCycles(graph)).toEqual(cycles);
  });
});
