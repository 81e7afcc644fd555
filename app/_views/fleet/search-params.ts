import {
  type inferParserType,
  parseAsArrayOf,
  parseAsBoolean,
  parseAsInteger,
  parseAsString,
  parseAsStringLiteral,
} from 'nuqs/server';
import { omitEmpty } from '@/app/_ask/query-text';
import type { QuestionInput } from '@/app/_ask/question';
import type { DataSort } from '@/app/_components/data-column';
import { type IdentityKind, identityKinds } from '@/lib/fleet/identity-kinds';
import { autoSizeGroup, sizeSorts } from '@/lib/fleet/size-group';

export const fleetSearchParams = {
  filter: parseAsString.withDefault(''),
  sort: parseAsString.withDefault('status'),
  descending: parseAsBoolean.withDefault(false),
  group: parseAsString.withDefault(''),
  open: parseAsArrayOf(parseAsString).withDefault([]),
};

export const fleetUrlKeys = {
  filter: 'q',
  sort: 'sort',
  descending: 'desc',
  group: 'group',
  open: 'open',
} as const;

/** `q` is the filter, which the page defers while somebody types. */
export function fleetQuestionOf(
  { sort, descending, group, open }: Omit<inferParserType<typeof fleetSearchParams>, 'filter'>,
  q: string,
): QuestionInput<'fleet'> {
  const groups = group === '' ? {} : { group, open };
  return { q, sort: `${descending ? '-' : ''}${sort}`, ...groups };
}

/** Lines of the list that one request reads. */
export const fleetLinesPerPage = 100;

export function fleetLinesQuestion(question: QuestionInput<'fleet'>, page: number): QuestionInput<'fleet'> {
  return { ...question, offset: page * fleetLinesPerPage, limit: fleetLinesPerPage };
}

export function toDataSort(sort: string, descending: boolean): DataSort {
  return { columnId: sort, descending };
}

export const cohortsSearchParams = {
  filter: parseAsString.withDefault(''),
  type: parseAsString.withDefault(''),
};

export const cohortsUrlKeys = { filter: 'q', type: 'type' } as const;

/** The value of `group` that lists single clients. */
export const noSizeGroup = 'none';

/** Selects the level: all clients, one client (`client`), one of its types (`type`) or resources (`name`). */
export const sizesSearchParams = {
  client: parseAsString.withDefault(''),
  type: parseAsString.withDefault(''),
  name: parseAsString.withDefault(''),
  filter: parseAsString.withDefault(''),
  /** Applies to all clients: `auto`, `none`, `runs` or a node attribute. */
  group: parseAsString.withDefault(autoSizeGroup),
  /** Applies to clients and types. */
  sort: parseAsStringLiteral(sizeSorts).withDefault('bytes'),
};

type SizesPlace = inferParserType<typeof sizesSearchParams>;

export function sizesQuestion({ group, filter: q, ...place }: SizesPlace): QuestionInput<'sizes'> {
  const isGrouped = place.client === '' && group !== noSizeGroup;
  return omitEmpty({ ...place, q, group: isGrouped ? group : '' });
}

export const sizesUrlKeys = {
  client: 'client',
  type: 'type',
  name: 'name',
  filter: 'q',
  group: 'group',
  sort: 'sort',
} as const;

export const identitySearchParams = {
  kind: parseAsStringLiteral(identityKinds).withDefault('duplicate'),
  q: parseAsString.withDefault(''),
  from: parseAsInteger.withDefault(0),
};

export const identityPerPage = 100;

export function identityQuestion(kind: IdentityKind, q: string, offset: number): QuestionInput<'identity'> {
  return { kind, q, offset, limit: identityPerPage };
}
