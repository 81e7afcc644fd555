import path from 'node:path';
import type { DocumentFormat } from '../../codec/codec';

const formats = new Map<string, DocumentFormat>([
  ['.pb', 'binary'],
  ['.pb_text', 'text'],
  ['.pbtxt', 'text'],
  ['.textproto', 'text'],
  ['.json', 'json'],
]);

/** As Envoy goes by the name's ending; all others are YAML, which has JSON in it. */
export function formatOfFile(file: string): DocumentFormat {
  return formats.get(path.extname(file).toLowerCase()) ?? 'yaml';
}
