import type { ResourceRow } from '../../api/schema';
import { normaliseTypeUrl } from '../../xds/resource-type';
import type { ResourceFilter } from './resource-question';

/** The parts of a filter apart: a count by type asks what all the others leave. */
export interface RowTests {
  readonly ofType: (row: ResourceRow) => boolean;
  readonly ofStatus: (row: ResourceRow) => boolean;
  readonly ofText: (row: ResourceRow) => boolean;
  /** All of them. */
  readonly passes: (row: ResourceRow) => boolean;
}

export function buildRowTests({ typeUrls, statuses, name, text }: ResourceFilter): RowTests {
  const types = new Set(typeUrls.map(normaliseTypeUrl));
  const wanted = new Set(statuses);
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const ofType = (row: ResourceRow) => types.size === 0 || types.has(normaliseTypeUrl(row.typeUrl));
  const ofStatus = (row: ResourceRow) => wanted.size === 0 || wanted.has(row.clientStatus);
  const ofText = (row: ResourceRow) =>
    (name === undefined || row.name === name) && (words.length === 0 || hasWords(row, words));
  return { ofType, ofStatus, ofText, passes: (row) => ofType(row) && ofStatus(row) && ofText(row) };
}

function hasWords(row: ResourceRow, words: readonly string[]): boolean {
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
