import { describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import type { DocumentView } from '@/server/codec/dump-parser/document-view';
import { planReport } from '@/server/codec/dump-parser/plan-report';
import { YamlView, yamlDocuments } from '@/server/codec/dump-parser/yaml-view';
import { parseYaml } from '@/server/codec/input/parse-notation';
import { realResources } from '@/tests/support/builders/real-resources';
import { hasCorpus } from '../../support/builders/codec-corpus';

/** Reads containers entry by entry, and parses the rest. */
function readAll(view: DocumentView): unknown {
  if (view.kind === 'list') return Array.from(view.items(), ([, item]) => readAll(item));
  if (view.kind === 'object')
    return Object.fromEntries([...view.members()].map(([key, each]) => [key, readAll(each)]));
  return view.value();
}

const viewsOf = (text: string): DocumentView[] => yamlDocuments(Buffer.from(text), 0);

function expectSame(text: string): void {
  const parsed = parseYaml(text);
  if (!parsed.ok) throw new Error(parsed.reason);
  const views = viewsOf(text);
  expect(views.map(readAll)).toEqual(parsed.documents);
  expect(views.map((view) => view.value())).toEqual(parsed.documents);
}

const texts: readonly (readonly [string, string])[] = [
  ['a list in the column of its key', 'a:\n- b: 1\n  c: 2\n- d\ne: 3\n'],
  ['a list that is deeper than its key', 'a:\n    - b: 1\n      c: 2\n    -   d: 4\n        e: 5\n'],
  ['lists in lists', '- - 1\n  - 2\n-\n  - 3\n'],
  ['comments and blank lines', '# one\n\na: 1 # two\n# three\n\nb:\n  # four\n  c: x#y\n'],
  ['blocks of text', 'a: |\n  - not: a list\n  # no comment\n\n  end\nb: >-\n  one\n  two\nc: 1\n'],
  ['text over several lines', 'a: one\n  two\nb: "three\n  four: five"\nc: 1\n'],
  ['keys in quotes', '"a: b": 1\n\'it\'\'s\': 2\n"x\\"y": 3\n'],
  ['objects and lists in brackets', 'a: {b: 1, c: [2, 3]}\nd: [\n  {e: 4},\n  5\n  ]\nf: []\n'],
  ['values that hold a colon', 'a: http://x:80/y\nb: "c: d"\ne: 10:20\n'],
  ['nothing', 'a:\nb: ~\nc:\n  d:\n'],
  ['Windows line ends', 'a:\r\n  - b: 1\r\n    c: 2\r\nd: 3\r\n'],
  ['documents', '---\na: 1\n---\n# two\nb: 2\n...\n'],
  ['no newline at the end', 'a:\n  b: 1'],
  ['large numbers', 'a: 9007199254740993\nb: 1e3\n'],
  ['a key with blanks before its colon', 'a b  : 1\nc: 2\n'],
];

describe('YamlView', () => {
  it.each(texts)('reads %s like a parser', (_, text) => {
    expectSame(text);
  });

  it.skipIf(!hasCorpus)('reads the resources of real clients like a parser', () => {
    for (const { resource } of realResources())
      expectSame(stringify({ configs: [{ resources: [resource] }] }));
  });

  it('resolves aliases within an element only', () => {
    const [view] = viewsOf('- a: &x {b: 1}\n  c: *x\n- d: *x\n');
    const [first, second] = Array.from(view?.items() ?? [], ([, item]) => item);
    expect(first?.value()).toEqual({ a: { b: 1 }, c: { b: 1 } });
    expect(() => second?.value()).toThrow('expected YAML, got no YAML: an alias without its anchor');
  });

  it('reports the place of a syntax error', () => {
    const [view] = viewsOf('a: 1\nb\nc: 2\n');
    expect(() => view && readAll(view)).toThrow('expected a key and ":", got something else at byte 5');
  });

  it('does not parse mappings with keys that no resource has', () => {
    const value = vi.spyOn(YamlView.prototype, 'value');
    const mapping = Array.from({ length: 40_000 }, (_, at) => `  k${at}: v\n`).join('');
    const text = ['a', 'b', 'c', 'd'].map((name) => `${name}:\n${mapping}`).join('');
    expect(planReport(Buffer.from(text), {}).problems[0]?.reason).toContain(
      'expected at most 150000 members in a document, got 160004',
    );
    expect(value).not.toHaveBeenCalled();
    value.mockRestore();
  });
});
