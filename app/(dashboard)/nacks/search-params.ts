import { parseAsString, parseAsStringLiteral } from 'nuqs/server';
import { type NackState, nackStates } from '@/lib/nacks/nack-group';
import type { Extent, NackParams } from '../../_hooks/query-keys';

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

export function toNackParams({ state, terminated, ...params }: NackUrl, extent: Extent): NackParams {
  return {
    ...params,
    ...extent,
    state: state === 'all' ? '' : state,
    terminated: terminated === 'hide' ? terminated : '',
  };
}
