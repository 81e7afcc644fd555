import { type Document, isScalar, visit, YAMLParseError } from 'yaml';

/**
 * The first key that its mapping has twice, as the parser of YAML reports it. The parser compares each key with all of
 * those before it, which takes minutes for 100,000 keys: documents are parsed with `uniqueKeys: false` and come here.
 * `text` is what was parsed.
 */
export function findRepeatedKey(document: Document.Parsed, text: string): YAMLParseError | undefined {
  let found: YAMLParseError | undefined;
  visit(document, {
    Map(_, { items }) {
      const keys = new Set<unknown>();
      for (const { key } of items) {
        const value = isScalar(key) ? key.value : key;
        if (keys.has(value)) {
          const offset = isScalar(key) ? (key.range?.[0] ?? 0) : 0;
          found = new YAMLParseError([offset, offset + 1], 'DUPLICATE_KEY', messageAt(text, offset));
          return visit.BREAK;
        }
        keys.add(value);
      }
      return undefined;
    },
  });
  return found;
}

function messageAt(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n');
  return `Map keys must be unique at line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
}
