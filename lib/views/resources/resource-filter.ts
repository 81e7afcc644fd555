import { holds, isSince } from '../../filter/match-filter';
import { type Filter, type FilterGrammar, parseFilter } from '../../filter/parse-filter';
import type { ResourceRow } from '../../observation/resource-row';
import { findResourceType, normaliseTypeUrl, resourceTypes } from '../../xds/resource-type';
import { type State, states } from '../../xds/status';
import type { EpochMs } from '../../xds/units';

/** The fields of filters of resources. Words are searched in names, versions, hashes and error messages. */
export const resourceGrammar = {
  fields: {
    type: {
      meaning: 'the resource type, as in type=CDS',
      suggestions: resourceTypes.map(({ service }) => service),
    },
    name: { meaning: 'the name of the resource' },
    status: { meaning: 'its state, as in status=NACKED', values: states },
    version: { meaning: 'the version that the client ACKed last, or the rejected one' },
    hash: { meaning: 'the SHA-256 of its content' },
    error: { meaning: 'the error message' },
    since: { meaning: 'changed within this time, as in since=10m', isAge: true },
  },
} as const satisfies FilterGrammar;
type ParsedResourceFilter = Filter<keyof typeof resourceGrammar.fields>;

export function parseResourceFilter(text: string, now?: EpochMs): ParsedResourceFilter {
  return parseFilter(text, resourceGrammar, now);
}

/** Selects rows of a client. An empty list of types or statuses selects all. */
export interface ResourceFilter {
  readonly typeUrls: readonly string[];
  readonly statuses: readonly State[];
  /** The whole name; by default any name. */
  readonly name?: string;
  readonly filter: ParsedResourceFilter;
}

/** The parts of a filter. Counts by type apply all parts except that of types. */
interface RowTests {
  readonly ofType: (row: ResourceRow) => boolean;
  readonly ofStatus: (row: ResourceRow) => boolean;
  readonly ofText: (row: ResourceRow) => boolean;
  /** Applies all parts. */
  readonly passes: (row: ResourceRow) => boolean;
}

export function buildRowTests({ typeUrls, statuses, name, filter }: ResourceFilter): RowTests {
  const types = new Set(typeUrls.map(normaliseTypeUrl));
  const wanted = new Set(statuses);
  const ofType = (row: ResourceRow) => types.size === 0 || types.has(normaliseTypeUrl(row.typeUrl));
  const ofStatus = (row: ResourceRow) => wanted.size === 0 || (row.state !== null && wanted.has(row.state));
  const ofText = (row: ResourceRow) =>
    (name === undefined || row.name === name) && matchesResourceFilter(row, filter);
  return { ofType, ofStatus, ofText, passes: (row) => ofType(row) && ofStatus(row) && ofText(row) };
}

function matchesResourceFilter(row: ResourceRow, { words, conditions }: ParsedResourceFilter): boolean {
  if (words.length > 0 && !hasWords(row, words)) return false;
  return conditions.every((condition) =>
    condition.field === 'since'
      ? isSince(condition, row.changedAt)
      : holds(
          condition,
          textsOf(row, condition.field as Exclude<keyof typeof resourceGrammar.fields, 'since'>),
        ),
  );
}

function textsOf(
  row: ResourceRow,
  field: Exclude<keyof typeof resourceGrammar.fields, 'since'>,
): readonly string[] {
  const { name, versionInfo, errorState } = row;
  switch (field) {
    case 'type':
      return [row.service, findResourceType(row.typeUrl)?.noun ?? '', normaliseTypeUrl(row.typeUrl)];
    case 'name':
      return [name];
    case 'status':
      return row.state === null ? [] : [row.state];
    case 'version':
      return [versionInfo, errorState?.versionInfo ?? ''];
    case 'hash':
      return [row.hash ?? ''];
    case 'error':
      return [errorState?.details ?? ''];
  }
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
