import { type inferParserType, parseAsInteger, parseAsString, parseAsStringLiteral } from 'nuqs/server';
import { bodyFormats } from '@/app/_components/inspector/body-format';
import type { NackDetail } from '@/lib/views/nacks/schema';

/** The marked statement or finding, and the shown content. */
export const nackViewParams = {
  statement: parseAsInteger.withDefault(0),
  field: parseAsString.withDefault(''),
  body: parseAsString.withDefault('rejected'),
  format: parseAsStringLiteral(bodyFormats).withDefault('yaml'),
};

export type NackUrl = inferParserType<typeof nackViewParams>;

/** The path of the marked field; empty: none. */
export function findShownField({ statements }: NackDetail, { field, statement }: NackUrl): string {
  return field !== '' ? field : (statements[statement]?.field?.path ?? '');
}
