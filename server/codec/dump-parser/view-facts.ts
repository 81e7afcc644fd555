import { findResourceType, normaliseTypeUrl } from '@/lib/xds/resource-type';
import { readTypeUrl } from '@/lib/xds/v2-types';
import type { DocumentView } from './document-view';

export function isResource(type: string): boolean {
  if (type === '') return false;
  return (
    findResourceType(readTypeUrl(normaliseTypeUrl(type)).typeUrl) !== undefined || /\.Resource$/.test(type)
  );
}

/** Only the first member is read, because other members cannot be found without scanning the object. */
export function firstType(view: DocumentView): string {
  for (const [key, value] of view.members()) return key === '@type' ? textOf(value) : '';
  return '';
}

export function textOf(view: DocumentView): string {
  if (view.kind !== 'other') return '';
  const value = view.value();
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
