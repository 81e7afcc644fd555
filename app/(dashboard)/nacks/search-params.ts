import { parseAsString, parseAsStringLiteral } from 'nuqs';
import { type NackState, nackStates } from '@/lib/nacks/nack-group';
import type { NackParams } from '../../_hooks/query-keys';

export const nackSearchParams = {
  client: parseAsString.withDefault(''),
  type: parseAsString.withDefault(''),
  resource: parseAsString.withDefault(''),
  text: parseAsString.withDefault(''),
  state: parseAsStringLiteral(['all', ...nackStates]).withDefault('all'),
};

type NackUrl = Record<'client' | 'type' | 'resource' | 'text', string> & {
  readonly state: 'all' | NackState;
};

export function toNackParams({ client, type, resource, text, state }: NackUrl): NackParams {
  return { client, type, resource, text, state: state === 'all' ? '' : state };
}
