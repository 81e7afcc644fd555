import { comparison, holds as holdsFor, isNegated, isSince } from '../../filter/match-filter';
import {
  type Filter,
  type FilterCondition,
  type FilterGrammar,
  parseFilter,
} from '../../filter/parse-filter';
import { fleetFields, metadataPrefix } from '../../fleet/fleet-fields';
import { formatLocality } from '../../format/locality';
import { findResourceType, formatResourceType, resourceTypes } from '../../xds/resource-type';
import { type ConfigStatus, configStatuses, type State, states } from '../../xds/status';
import type { EpochMs } from '../../xds/units';
import type { TypeSummary } from '../client/schema';
import { contentOfType, type FleetMember } from './fleet-member';
import { valuesOfField } from './values-of-field';

/** The fields of filters of clients. Keys of node metadata are fields as well. */
export const fleetGrammar = {
  fields: {
    status: { meaning: 'a state that a resource has, as in status=NACKED', values: states },
    config: {
      meaning: 'a ConfigStatus that the control plane reports, as in config=STALE',
      values: configStatuses,
    },
    type: {
      meaning: 'a resource type that the client has, as in type=CDS; narrows status, config and version',
      suggestions: resourceTypes.map(({ service }) => service),
    },
    node: { meaning: 'the node id' },
    version: { meaning: 'a version in use' },
    trouble: {
      meaning: 'whether a resource was rejected, is missing or has no answer',
      values: ['yes', 'no'],
    },
    is: {
      meaning:
        'probe, duplicate (its node id is also another client’s), waiting (a resource warms, or a response has no answer) or vanished (no longer reported)',
      values: ['probe', 'duplicate', 'waiting', 'vanished'],
    },
    runs: { meaning: 'what a cohort runs, as the list of cohorts names it' },
    cluster: { meaning: fleetFields.cluster },
    region: { meaning: fleetFields.region },
    zone: { meaning: fleetFields.zone },
    subzone: { meaning: fleetFields.subzone },
    locality: { meaning: fleetFields.locality },
    agent: { meaning: fleetFields.agent },
    source: { meaning: fleetFields.source },
    scope: { meaning: fleetFields.scope },
    fresh: { meaning: fleetFields.fresh, values: ['live', 'stale', 'gone', 'file'] },
    worst: { meaning: fleetFields.worst, suggestions: states },
    since: { meaning: 'changed within this time, as in since=10m', isAge: true },
  },
  prefix: { text: metadataPrefix, meaning: 'a key of the node’s metadata, as in meta.version' },
} as const satisfies FilterGrammar;

type Condition = FilterCondition<keyof typeof fleetGrammar.fields>;
/** What a client has any number of values of. */
export type FleetValueField = Exclude<Condition['field'], 'since'>;

/**
 * Words must each occur in the node id, scope, cluster, locality, user agent or trouble text. `key=""` matches clients that
 * do not report a value.
 */
export type FleetFilter = Filter<keyof typeof fleetGrammar.fields>;

export function parseFleetFilter(text: string, now?: EpochMs): FleetFilter {
  return parseFilter(text, fleetGrammar, now);
}

export function matchesFleetFilter(member: FleetMember, { words, conditions }: FleetFilter): boolean {
  if (words.length > 0) {
    const text = searchedText(member);
    if (!words.every((word) => text.includes(word))) return false;
  }
  if (conditions.length === 0) return true;
  const types = findTypes(member.summary.types, conditions);
  return conditions.every((condition) => holds(member, types, condition));
}

/** The text in which words are searched, in lower case. */
export function searchedText({ summary }: Pick<FleetMember, 'summary'>): string {
  const { nodeId, scope, cluster, locality, userAgent, troubleText } = summary;
  return [nodeId, scope, cluster, formatLocality(locality), userAgent, troubleText].join('\n').toLowerCase();
}

/** Returns the types that match `type=`: `type=CDS status=NACKED` matches a NACKED cluster, not other NACKED resources. */
export function findTypes<T extends Pick<TypeSummary, 'typeUrl'>>(
  types: readonly T[],
  conditions: FleetFilter['conditions'],
): readonly T[] {
  const ofType = conditions.filter(({ field, operator }) => field === 'type' && !isNegated(operator));
  return types.filter((type) => ofType.every((condition) => typeNames(type).some(comparison(condition))));
}

function typeNames({ typeUrl }: Pick<TypeSummary, 'typeUrl'>): string[] {
  return [typeUrl, formatResourceType(typeUrl), findResourceType(typeUrl)?.noun ?? ''];
}

function holds(member: FleetMember, types: readonly TypeSummary[], condition: Condition): boolean {
  if (condition.field === 'since') return isSince(condition, member.summary.lastChangedAt);
  return holdsFor(condition, valuesOfCondition(member, types, condition.field));
}

/** `types`: those that the condition is about. */
export function valuesOfCondition(
  member: FleetMember,
  types: readonly TypeSummary[],
  field: FleetValueField,
): readonly string[] {
  const { summary } = member;
  switch (field) {
    case 'status':
      return types.flatMap(({ byState }) => statusesIn<State>(byState));
    case 'config':
      return types.flatMap(({ byConfigStatus, sync }) => [
        ...statusesIn<ConfigStatus>(byConfigStatus),
        ...(sync === undefined ? [] : [sync]),
      ]);
    case 'type':
      return summary.types.filter(({ total }) => total > 0).flatMap(typeNames);
    case 'version':
      return types.flatMap(({ versions }) => versions);
    case 'node':
      return [summary.nodeId];
    case 'locality':
      return [formatLocality(summary.locality), ...Object.values(summary.locality ?? {})];
    case 'trouble':
      return [summary.trouble > 0 ? 'yes' : 'no'];
    case 'is':
      return [
        ...(summary.isProbe ? ['probe'] : []),
        ...(summary.duplicateNodeId ? ['duplicate'] : []),
        ...(summary.waiting === undefined ? [] : ['waiting']),
        ...(summary.freshness === 'gone' ? ['vanished'] : []),
      ];
    case 'runs':
      return [member.content, ...summary.types.map(contentOfType)].filter((content) => content !== '');
    default:
      return valuesOfField(member, field);
  }
}

function statusesIn<Status extends string>(counts: Partial<Record<Status, number>>): string[] {
  return Object.entries<number | undefined>(counts)
    .filter(([, count]) => count !== undefined && count > 0)
    .map(([status]) => status);
}
