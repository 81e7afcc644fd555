import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { findMarkedLines, layoutTextLines, maxMarkedLines } from '@/lib/views/inspector/text-lines';

const value = {
  name: 'a: b',
  'envoy.lb': { 'key: quoted': 1, off: true },
  routes: [{ match: 'x' }, 'plain - text', 'url: http://a', []],
  text: 'first: line\n  second\n\nlast: line\n',
  after: null,
};

/** Each line as "tone:text|tone:text". */
function show(text: string, notation: 'yaml' | 'json'): string[] {
  return layoutTextLines(text, notation).map(({ parts }) =>
    [...parts.values()].map(({ tone, text: part }) => `${tone ?? ''}:${part}`).join('|'),
  );
}

describe('layoutTextLines', () => {
  it('has the keys, dashes and texts of YAML, and no keys within a block of text', () => {
    expect(show(stringify(value, { lineWidth: 0 }), 'yaml')).toEqual([
      'key:name|sign::|sign: |:"a: b"',
      'key:envoy.lb|sign::',
      'sign:  |key:"key: quoted"|sign::|sign: |:1',
      'sign:  |key:off|sign::|sign: |:true',
      'key:routes|sign::',
      'sign:  - |key:match|sign::|sign: |:x',
      'sign:  - |:plain - text',
      'sign:  - |:"url: http://a"',
      'sign:  - |:[]',
      'key:text|sign::|sign: |:|',
      ':  first: line',
      ':    second',
      '',
      ':  last: line',
      'key:after|sign::|sign: |:null',
      '',
    ]);
  });

  it('has the keys, numbers, words and brackets of JSON', () => {
    expect(show('{\n  "a": -1.5e3,\n  "b\\"": [true, "x: 1"]\n}', 'json')).toEqual([
      'sign:{',
      'sign:  |key:"a"|sign::|: |number:-1.5e3|sign:,',
      'sign:  |key:"b\\""|sign::|: |sign:[|word:true|sign:,|: |:"x: 1"|sign:]',
      'sign:}',
    ]);
  });

  it.each(['yaml', 'json'] as const)('repeats the whole text of %s, and numbers its lines', (notation) => {
    const text = notation === 'yaml' ? stringify(value, { lineWidth: 0 }) : JSON.stringify(value, null, 2);
    const lines = layoutTextLines(text, notation);
    const joined = lines.map(({ parts }) => [...parts.values()].map((part) => part.text).join(''));
    expect(joined.join('\n')).toBe(text);
    expect(lines.map(({ number }) => number)).toEqual(joined.map((_, index) => index + 1));
  });

  it('makes invisible characters visible', () => {
    expect(show('a: \u202eb', 'yaml')).toEqual(['key:a|sign::|sign: |:\\u202eb']);
  });

  it('a line is foldable if the next one is indented further', () => {
    const foldable = layoutTextLines('a:\n  b: 1\n  c:\n    - 1\n\nd: 2\n', 'yaml').flatMap(
      ({ number, isFoldable }) => (isFoldable ? [number] : []),
    );
    expect(foldable).toEqual([1, 3]);
  });
});

describe('findMarkedLines', () => {
  it.each([
    [
      { from: 0, to: 1 },
      { first: 1, last: 1 },
    ],
    [
      { from: 2, to: 4 },
      { first: 2, last: 2 },
    ],
    [
      { from: 2, to: 5 },
      { first: 2, last: 3 },
    ],
    [
      { from: 4, to: 4 },
      { first: 3, last: 3 },
    ],
  ])('%j', (range, lines) => {
    expect(findMarkedLines('a\nb\nc', range)).toEqual(lines);
  });

  it('marks the first lines of a long range', () => {
    expect(findMarkedLines('a\n'.repeat(100), { from: 2, to: 200 })).toEqual({
      first: 2,
      last: 1 + maxMarkedLines,
    });
  });
});
