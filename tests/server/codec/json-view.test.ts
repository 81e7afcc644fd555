import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DocumentView, ScanError } from '@/server/codec/dump-parser/document-view';
import { JsonView } from '@/server/codec/dump-parser/json-view';
import { parseExactJson } from '@/server/codec/parse-exact-json';

const viewOf = (text: string): JsonView => new JsonView(Buffer.from(text), 0);

/** Reads containers element by element, and parses only scalars. */
function rebuild(view: DocumentView): unknown {
  if (view.kind === 'list') return Array.from(view.items(), ([, item]) => rebuild(item));
  if (view.kind === 'other') return view.value();
  return Object.fromEntries([...view.members()].map(([key, value]) => [key, rebuild(value)]));
}

describe('JsonView', () => {
  it('finds the same borders as a parser, for any blanks, escapes and characters', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.integer({ min: 0, max: 3 }), (value, indent) => {
        // Object.fromEntries() in this test sets no __proto__ member.
        fc.pre(!JSON.stringify(value).includes('__proto__'));
        const text = JSON.stringify(value, null, indent);
        const view = viewOf(text);
        expect(rebuild(view)).toEqual(parseExactJson(text));
        expect(view.size()).toBe(Buffer.byteLength(text));
        expect(viewOf(text).value()).toEqual(parseExactJson(text));
      }),
    );
  });

  it('throws a ScanError for every truncated document', () => {
    const text = '{"a": [1, {"b\\"": "x\\\\"}, true], "c": "ü"}';
    const bytes = Buffer.from(text);
    for (let end = 1; end < bytes.length; end += 1) {
      const cut = new JsonView(bytes.subarray(0, end), 0);
      expect(() => rebuild(cut), text.slice(0, end)).toThrow(ScanError);
    }
  });

  it('scans a million nested brackets without recursion', () => {
    const depth = 1_000_000;
    expect(viewOf('['.repeat(depth) + ']'.repeat(depth)).size()).toBe(2 * depth);
    expect(() => viewOf('['.repeat(depth)).size()).toThrow(ScanError);
  });
});
