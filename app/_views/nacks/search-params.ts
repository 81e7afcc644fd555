import { parseAsString, parseAsStringLiteral } from 'nuqs/server';
import { omitEmpty } from '@/app/_ask/query-text';
import type { QuestionInput } from '@/app/_ask/question';
import type { Extent } from '@/app/_hooks/extent';
import { type NackState, nackStates } from '@/lib/nacks/nack-group';

/** The number of groups that a list shows at first, and adds per click. */
export const nackLimit = 300;

export const nackSearchParams = {
  client: parseAsString.withDefault(''),
  type: parseAsString.withDefault(''),
  resource: parseAsString.withDefault(''),
  q: parseAsString.withDefault(''),
  state: parseAsStringLiteral(['all', ...nackStates]).withDefault('all'),
  terminated: parseAsStringLiteral(['show', 'hide']).withDefault('show'),
};

type NackUrl = Record<'client' | 'type' | 'resource' | 'q', string> & {
  readonly state: 'all' | NackState;
  readonly terminated: 'show' | 'hide';
};

export function toNackParams(
  { state, terminated, ...params }: NackUrl,
  extent: Extent,
): QuestionInput<'nacks'> {
  return omitEmpty({
    ...params,
    ...extent,
    state: state === 'all' ? '' : state,
    terminated: terminated === 'hide' ? terminated : '',
  });
}
