import { holds, isSince } from '../../filter/match-filter';
import { type FilterGrammar, parseFilter } from '../../filter/parse-filter';
import { type NackGroup, nackStates, stateOfGroup } from '../../nacks/nack-group';
import { findResourceType, formatResourceType, resourceTypes } from '../../xds/resource-type';
import type { EpochMs } from '../../xds/units';

/** The fields of filters of NACKs. Words are searched in resource names and error messages. */
export const nackGrammar = {
  fields: {
    type: {
      meaning: 'the resource type, as in type=CDS',
      suggestions: resourceTypes.map(({ service }) => service),
    },
    name: { meaning: 'the name of the rejected resource' },
    error: { meaning: 'the error message' },
    state: { meaning: 'open or resolved', values: nackStates },
    version: { meaning: 'a rejected version' },
    since: { meaning: 'rejected within this time, as in since=10m', isAge: true },
  },
} as const satisfies FilterGrammar;

/** Returns the test of a filter. Ages end at `now`; parts that are not valid do not filter. */
export function buildNackTest(text: string, now: EpochMs): (group: NackGroup) => boolean {
  const { words, conditions } = parseFilter(text, nackGrammar, now);
  return (group) => {
    const all = words.length === 0 ? '' : `${group.name}\n${group.text}`.toLowerCase();
    if (!words.every((word) => all.includes(word))) return false;
    return conditions.every((condition) =>
      condition.field === 'since'
        ? isSince(condition, group.lastAt)
        : holds(condition, textsOf(group, condition.field as Exclude<Field, 'since'>)),
    );
  };
}

type Field = keyof typeof nackGrammar.fields;

function textsOf(group: NackGroup, field: Exclude<Field, 'since'>): readonly string[] {
  switch (field) {
    case 'type': {
      const { typeUrl } = group;
      return [formatResourceType(typeUrl), findResourceType(typeUrl)?.noun ?? '', typeUrl];
    }
    case 'name':
      return [group.name];
    case 'error':
      return [group.text];
    case 'state':
      return [stateOfGroup(group)];
    case 'version':
      return Array.from(group.clients.values(), ({ versionInfo }) => versionInfo);
  }
}
