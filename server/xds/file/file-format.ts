import path from 'node:path';
import type { DocumentFormat } from '../../codec/codec';

const formats = new Map<string, DocumentFormat>([
  ['.pb', 'binary'],
  ['.pb_text', 'text'],
  ['.pbtxt', 'text'],
  ['.textproto', 'text'],
  ['.json', 'json'],
]);

/** As in Envoy, the extension determines the format. All others are YAML, which includes JSON. */
export function formatOfFile(file: string): DocumentFormat {
  return formats.get(path.extname(file).toLowerCase()) ?? 'yaml';
}
