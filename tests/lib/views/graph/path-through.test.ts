import { expect, test } from 'vitest';
import {
  fitAll,
  fitBox,
  fitReadable,
  formatTransform,
  parseTransform,
} from '@/lib/views/graph/fit-transform';
import { indexGraph } from '@/lib/views/graph/graph-index';
import { pathThrough } from '@/lib/views/graph/path-through';

/**
 *   a -> b -> d -> e      f
 *        c -> d -> g -> d (a cycle)
 */
const nodes = [...'abcdefg'].map((id) => ({ id }));
const links = ['ab', 'bd', 'cd', 'de', 'dg', 'gd'].map(([source = '', target = '']) => ({ source, target }));
const graph = indexGraph(nodes, links);
const through = (id: string) => {
  const path = pathThrough(graph, graph.indexOf.get(id) ?? -1);
  return {
    nodes: [...path.nodes].map((node) => nodes[node]?.id).join(''),
    edges: [...path.edges].map((edge) => `${links[edge]?.source}${links[edge]?.target}`).sort(),
  };
};

test('pathThrough contains the predecessors and successors of a node, the nearest first', () => {
  expect(through('b')).toEqual({ nodes: 'badeg', edges: ['ab', 'bd', 'de', 'dg', 'gd'] });
});

test('pathThrough leaves out siblings, and ends in cycles', () => {
  expect(through('e').nodes).toBe('edbcga');
  expect(through('f')).toEqual({ nodes: 'f', edges: [] });
});

const picture = { width: 2000, height: 500 };

test('fitAll centres the whole picture, and limits its enlargement', () => {
  expect(fitAll(picture, { width: 1000, height: 1000 })).toEqual({ x: 0, y: 375, k: 0.5 });
  expect(fitAll({ width: 10, height: 10 }, { width: 1000, height: 1000 }).k).toBe(1.15);
  expect(fitAll({ width: 0, height: 0 }, { width: 0, height: 0 }).k).toBe(1);
});

test('fitReadable shows the left side rather than an unreadable whole', () => {
  const frame = { width: 1000, height: 800 };
  expect(fitReadable({ width: 800, height: 20_000 }, frame, undefined)).toEqual({ x: 100, y: 0, k: 1 });
  expect(fitReadable({ width: 1250, height: 20_000 }, frame, undefined)).toEqual({ x: 0, y: 0, k: 0.8 });
  expect(fitReadable({ width: 2000, height: 20_000 }, frame, undefined)).toEqual({ x: 0, y: 0, k: 0.92 });
});

test('fitReadable shows the start of a tall picture, without empty space above or below', () => {
  const frame = { width: 1000, height: 800 };
  const tall = { width: 800, height: 20_000 };
  const startAt = (y: number) => fitReadable(tall, frame, { x: 0, y, width: 100, height: 40 }).y;
  expect(startAt(9_980)).toBe(-9_600);
  expect(startAt(700)).toBe(0);
  expect(startAt(19_900)).toBe(-19_200);
});

test('fitReadable shows the start at the top of a narrow frame', () => {
  const frame = { width: 390, height: 527 };
  const start = { x: 12, y: 300, width: 190, height: 40 };
  expect(fitReadable({ width: 1400, height: 620 }, frame, start)).toEqual({ x: 0, y: 64 - 276, k: 0.92 });
  expect(fitReadable({ width: 1400, height: 620 }, frame, { ...start, y: 20 }).y).toBe(0);
});

test('fitBox moves as little as needed', () => {
  const frame = { width: 200, height: 200 };
  const box = { x: 0, y: 0, width: 20, height: 20 };
  expect(fitBox(box, frame, { x: 70, y: 70, k: 1 })).toEqual({ x: 70, y: 70, k: 1 });
  expect(fitBox(box, frame, { x: -50, y: 190, k: 1 })).toEqual({ x: 24, y: 156, k: 1 });
  // Not under the headings of the columns.
  expect(fitBox(box, frame, { x: 70, y: 30, k: 1 })).toEqual({ x: 70, y: 64, k: 1 });
});

test('a transform is the same after it was in a URL', () => {
  const transform = { x: -120, y: 40, k: 0.92 };
  expect(parseTransform(formatTransform(transform))).toEqual(transform);
  for (const text of ['', '1,2', '1,2,0', '1,2,9', '1,2,NaN', '1e9,2,1', '1,2,1,1'])
    expect(parseTransform(text)).toBeNull();
});
