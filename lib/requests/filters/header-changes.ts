import type { FieldReader } from '../../model/field-reader';
import { type FindHeader, withHeader } from '../request';
import { matchString } from '../string-match';
import { type FilterDecision, type FilterRequest, notRouted } from './filter-decision';

/**
 * envoy.extensions.filters.http.header_mutation.v3: "The mutation rules in the filter configuration will always be applied
 * first and then the per-route mutation rules", by default from the most specific to the least specific level.
 */
export function decideHeaderMutation(of: FilterRequest): FilterDecision {
  const { config, overrides, profile } = of;
  const ofRoutes = config.boolean('mostSpecificHeaderMutationsWins') ? overrides.toReversed() : overrides;
  const levels = [config, ...ofRoutes].flatMap((each) => each.object('mutations') ?? []);
  const changed: string[] = [];
  let find = of.find;
  for (const level of levels) {
    for (const mutation of level.objects('requestMutations')) {
      const remove = mutation.string('remove');
      const append = mutation.object('append');
      const matcher = mutation.object('removeOnMatch')?.object('keyMatcher');
      if (remove !== '') {
        find = withHeader(find, remove, { kind: 'absent' });
        changed.push(remove);
      } else if (append !== undefined) {
        const name = append.object('header')?.string('key') ?? '';
        find = applyAppend(find, append, name, profile === 'envoy-1.36');
        changed.push(name);
      } else if (matcher !== undefined) {
        const before = find;
        find = (name) => {
          const result = matchString(matcher, name.toLowerCase());
          return result.kind === 'known' && result.holds ? { kind: 'absent' } : before(name);
        };
        changed.push('those that remove_on_match matches');
      }
    }
    if (level.objects('queryParameterMutations').length > 0) {
      find = withHeader(find, ':path', {
        kind: 'depends',
        reason: 'an earlier filter changes the query parameters',
      });
      changed.push(':path');
    }
  }
  const reason =
    changed.length === 0
      ? 'it changes no header of the request'
      : `it changes headers: ${[...new Set(changed)].join(', ')}; ${notRouted}`;
  return { kind: 'passes', reason, find };
}

/** An envoy.config.core.v3.HeaderValueOption. */
function applyAppend(find: FindHeader, option: FieldReader, name: string, joins: boolean): FindHeader {
  const header = option.object('header');
  const text = header?.string('value') || header?.string('rawValue') || '';
  const current = find(name);
  const action = option.has('append')
    ? option.boolean('append')
      ? 'APPEND_IF_EXISTS_OR_ADD'
      : 'OVERWRITE_IF_EXISTS_OR_ADD'
    : option.enumName('appendAction', 'APPEND_IF_EXISTS_OR_ADD');
  // "If false (default), custom headers with empty values are dropped."
  if (text === '' && !option.boolean('keepEmptyValue')) return find;
  if (current.kind === 'depends' && action !== 'OVERWRITE_IF_EXISTS_OR_ADD') return find;
  const isAbsent = current.kind === 'absent';
  if (action === 'ADD_IF_ABSENT' && !isAbsent) return find;
  if (action === 'OVERWRITE_IF_EXISTS' && isAbsent) return find;
  if (/%(?!%)/.test(text.replaceAll('%%', '')))
    return withHeader(find, name, {
      kind: 'depends',
      reason: `an earlier filter sets header ${name} to ${JSON.stringify(text)}`,
    });
  const value = text.replaceAll('%%', '%');
  if (action !== 'APPEND_IF_EXISTS_OR_ADD' || current.kind !== 'value')
    return withHeader(find, name, { kind: 'value', first: value, values: [value] });
  const values = [...current.values, value];
  return withHeader(find, name, {
    kind: 'value',
    first: current.first,
    values: joins ? [values.join(',')] : values,
  });
}
