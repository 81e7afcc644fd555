import type { RowOf } from '../../observation/resource-row';
import { normaliseTypeUrl } from '../../xds/resource-type';
import type { ResourceFilter } from './resource-question';

/** The parts of a filter. Counts by type apply all parts except that of types. */
export interface RowTests {
  readonly ofType: (row: RowOf<unknown>) => boolean;
  readonly ofStatus: (row: RowOf<unknown>) => boolean;
  readonly ofText: (row: RowOf<unknown>) => boolean;
  /** Applies all parts. */
  readonly passes: (row: RowOf<unknown>) => boolean;
}

export function buildRowTests({ typeUrls, statuses, name, text }: ResourceFilter): RowTests {
  const types = new Set(typeUrls.map(normaliseTypeUrl));
  const wanted = new Set(statuses);
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const ofType = (row: RowOf<unknown>) => types.size === 0 || types.has(normaliseTypeUrl(row.typeUrl));
  const ofStatus = (row: RowOf<unknown>) =>
    wanted.size === 0 || (row.state !== null && wanted.has(row.state));
  const ofText = (row: RowOf<unknown>) =>
    (name === undefined || row.name === name) && (words.length === 0 || hasWords(row, words));
  return { ofType, ofStatus, ofText, passes: (row) => ofType(row) && ofStatus(row) && ofText(row) };
}

function hasWords(row: RowOf<unknown>, words: readonly string[]): boolean {
  const text = [
    row.name,
    row.versionInfo,
    row.hash ?? '',
    row.errorState?.details ?? '',
    row.errorState?.versionInfo ?? '',
    row.controlPlane?.versionInfo ?? '',
  ]
    .join('\n')
    .toLowerCase();
  return words.every((word) => text.includes(word));
}
