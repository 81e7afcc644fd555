import { parseFieldPath } from '@/lib/views/findings/parse-field-path';

export interface TextRange {
  readonly from: number;
  readonly to: number;
}

/** The range of a field in YAML or JSON text; for an absent field, of its closest ancestor. */
export async function findFieldRange(text: string, path: string): Promise<TextRange | undefined> {
  const { isMap, isNode, isScalar, isSeq, parseDocument } = await import('yaml');
  let node: unknown = parseDocument(text, { uniqueKeys: false, logLevel: 'silent' }).contents;
  let range: TextRange | undefined;
  for (const step of parseFieldPath(path)) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => String(isScalar(key) ? key.value : key) === String(step));
      if (pair === undefined) break;
      const keyRange = isNode(pair.key) ? pair.key.range : undefined;
      const valueRange = isNode(pair.value) ? pair.value.range : undefined;
      const from = keyRange?.[0] ?? valueRange?.[0];
      if (from !== undefined) range = { from, to: valueRange?.[1] ?? keyRange?.[1] ?? from };
      node = pair.value;
    } else if (isSeq(node)) {
      const item: unknown = node.items[Number(step)];
      if (!isNode(item)) break;
      if (item.range) range = { from: item.range[0], to: item.range[1] };
      node = item;
    } else break;
  }
  return range;
}
