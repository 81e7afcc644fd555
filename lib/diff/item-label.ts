import { formatEndCut } from '../format/end-cut';
import { formatLocality } from '../format/locality';
import { isJsonObject } from './json-object';
import type { ListRule } from './list-rule';

const mostChars = 80;

export function formatItemLabel(item: unknown, { keys, like = [] }: ListRule, index: number): string {
  if (!isJsonObject(item))
    return Array.isArray(item) || item === null ? `#${index}` : formatEndCut(String(item), mostChars);
  for (const key of [...keys, ...like]) {
    const parts = key.flatMap((path) => formatPart(valueAt(item, path), path));
    if (parts.length > 0) return formatEndCut(parts.join(' '), mostChars);
  }
  return `#${index}`;
}

function valueAt(item: unknown, path: string): unknown {
  let value = item;
  for (const name of path.split('.')) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

function formatPart(value: unknown, path: string): string[] {
  if (value === undefined || value === '') return [];
  const last = path.slice(path.lastIndexOf('.') + 1);
  if (typeof value === 'number' || typeof value === 'boolean') return [`${last} ${value}`];
  if (!isJsonObject(value)) return [String(value).replace(/^type\.googleapis\.com\//, '')];
  if (last === 'locality') return [formatLocality(readLocality(value))];
  return [formatAddress(value) ?? formatInside(value)];
}

function readLocality(value: Readonly<Record<string, unknown>>) {
  const text = (name: string): string => (typeof value[name] === 'string' ? value[name] : '');
  return { region: text('region'), zone: text('zone'), subZone: text('subZone') };
}

function formatAddress(value: Readonly<Record<string, unknown>>): string | undefined {
  const { socketAddress, pipe } = value;
  if (isJsonObject(pipe)) return String(pipe.path ?? '');
  if (!isJsonObject(socketAddress)) return undefined;
  const { address, portValue, namedPort } = socketAddress;
  const host = String(address ?? '');
  return `${host.includes(':') ? `[${host}]` : host}:${portValue ?? namedPort ?? 0}`;
}

/** Formats scalars with their names, as in `prefix /cart`. */
function formatInside(value: unknown): string {
  if (Array.isArray(value)) return value.map(formatInside).join(', ');
  if (!isJsonObject(value)) return String(value);
  return Object.entries(value)
    .map(([name, inner]) => `${name} ${formatInside(inner)}`)
    .join(', ');
}
