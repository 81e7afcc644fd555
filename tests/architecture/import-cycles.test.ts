import { describe, expect, it } from 'vitest';
import { readImports } from '../support/project-imports';

/**
 * The strongly connected components that contain a cycle, each sorted by name (Tarjan's algorithm). `graph`: by node, the
 * nodes that it points to; nodes that are not keys point nowhere.
 */
function findCycles(graph: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];

  const visit = (node: string): number => {
    const index = order.size;
    order.set(node, index);
    let lowest = index;
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!order.has(next)) lowest = Math.min(lowest, visit(next));
      else if (stack.includes(next)) lowest = Math.min(lowest, low.get(next) ?? order.get(next) ?? index);
    }
    low.set(node, lowest);
    if (lowest < index) return lowest;
    const component = stack.splice(stack.indexOf(node));
    if (component.length > 1 || graph.get(node)?.has(node) === true) cycles.push(component.sort());
    return lowest;
  };
  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return cycles.sort();
}

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

describe('folders', () => {
  const imports = readImports(['app', 'lib', 'server']).map(
    ({ file, target }) => [file.replace(/\.tsx?$/, ''), target] as const,
  );
  const folders = new Set(
    imports.flatMap(([file]) => file.split('/').map((_, index, parts) => parts.slice(0, index).join('/'))),
  );

  it('have no cycles among their files and sub-folders, each sub-folder taken as a whole', () => {
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
    expect(cycles).toEqual([]);
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
