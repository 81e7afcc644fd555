import { type FleetField, fleetFields, isFleetField, metadataPrefix } from '../../fleet/fleet-fields';
import { formatLocality } from '../../format/locality';
import { formatMiddleCut } from '../../format/middle-cut';
import { findResourceType, formatResourceType } from '../../xds/resource-type';
import { type ConfigStatus, configStatuses, type State, states } from '../../xds/status';
import type { TypeSummary } from '../client-summary';
import { contentOfType, type FleetMember } from './fleet-member';
import { valuesOfField } from './values-of-field';

/** The keys of expressions, with what they compare. */
export const fleetFilterKeys = {
  status: 'a state that a resource has, as in status=NACKED',
  config: 'a ConfigStatus that the control plane reports, as in config=STALE',
  type: 'a resource type that the client has, as in type=CDS; narrows status, config and version',
  node: 'the node id',
  version: 'a version in use',
  trouble: 'yes or no',
  is: 'probe, duplicate (its node id is also another client’s), waiting (a resource warms, or a response has no answer) or vanished (no longer reported)',
  runs: 'what a cohort runs, as the list of cohorts names it',
  ...fleetFields,
} as const;
export type FleetFilterKey = keyof typeof fleetFilterKeys | FleetField;

type Operator = '=' | '!=' | '~';

interface Condition {
  readonly key: FleetFilterKey;
  readonly operator: Operator;
  readonly value: string;
}

export interface FleetFilter {
  /** In lower case. Each must occur in the node id, scope, cluster, locality, user agent or trouble text. */
  readonly words: readonly string[];
  readonly conditions: readonly Condition[];
  /** Describes the parts that cannot be parsed, and their positions. Such parts do not filter. */
  readonly problems: readonly string[];
}

/** The largest length of a part in a problem. */
const tokenChars = 40;

/**
 * Parses a filter of words and expressions that must all hold: `locality~"eu / eu-1" status=NACKED cart`. `key=value` and
 * `key!=value` compare whole values, `key~value` a part; `key=""` matches clients that do not report a value. Quotes
 * preserve spaces. Case does not matter. Parts that cannot be parsed are reported in `problems`.
 */
export function parseFleetFilter(text: string): FleetFilter {
  const words: string[] = [];
  const conditions: Condition[] = [];
  const problems: string[] = [];
  for (const { 0: token, index } of text.matchAll(/(?:"[^"]*"?|[^\s"])+/g)) {
    const expression = /^([a-z]+|meta\.[^=!~]+?)(!=|=|~)(.*)$/i.exec(token);
    if (expression === null) {
      words.push(unquote(token).toLowerCase());
      continue;
    }
    const [, key = '', operator = '=', rest = ''] = expression;
    // The case of metadata keys matters.
    const name = isMetadataKey(key) ? unquote(key) : key.toLowerCase();
    const parsed = parseCondition(name, operator as Operator, rest === '""' ? undefined : unquote(rest));
    if (typeof parsed === 'string') {
      problems.push(`${formatMiddleCut(token, tokenChars)} at character ${index + 1}: ${parsed}`);
    } else conditions.push(parsed);
  }
  return { words: words.filter((word) => word !== ''), conditions, problems };
}

function unquote(text: string): string {
  return text.replaceAll('"', '');
}

const allowedValues: Partial<Record<FleetFilterKey, readonly string[]>> = {
  status: states,
  config: configStatuses,
  fresh: ['live', 'stale', 'gone', 'file'],
  trouble: ['yes', 'no'],
  is: ['probe', 'duplicate', 'waiting', 'vanished'],
};

/** `text` is undefined for `""`, which stands for no value. Returns the problem if there is one. */
function parseCondition(key: string, operator: Operator, text: string | undefined): Condition | string {
  const value = text ?? '';
  if (!isKey(key))
    return `no filter is called "${key}": expected ${Object.keys(fleetFilterKeys).join(', ')} or meta.KEY`;
  if (value === '' && (text === '' || operator === '~')) return `expected a value, got none`;
  const allowed = allowedValues[key];
  const wanted = value.toLowerCase();
  if (operator !== '~' && wanted !== '' && allowed?.some((one) => one.toLowerCase() === wanted) === false) {
    return `expected ${allowed.join(', ')}, got "${value}"`;
  }
  return { key, operator, value: wanted };
}

function isKey(key: string): key is FleetFilterKey {
  return Object.hasOwn(fleetFilterKeys, key) || isFleetField(key);
}

function isMetadataKey(key: string): boolean {
  return key.startsWith(metadataPrefix);
}

export function matchesFleetFilter(member: FleetMember, { words, conditions }: FleetFilter): boolean {
  if (words.length > 0) {
    const { nodeId, scope, cluster, locality, userAgent, troubleText } = member.summary;
    const text = [nodeId, scope, cluster, formatLocality(locality), userAgent, troubleText]
      .join('\n')
      .toLowerCase();
    if (!words.every((word) => text.includes(word))) return false;
  }
  if (conditions.length === 0) return true;
  const types = findTypes(member.summary.types, conditions);
  return conditions.every((condition) => holds(member, types, condition));
}

/** Returns the types that match `type=`: `type=CDS status=NACKED` matches a NACKED cluster, not other NACKED resources. */
function findTypes(types: readonly TypeSummary[], conditions: readonly Condition[]): readonly TypeSummary[] {
  const ofType = conditions.filter(({ key, operator }) => key === 'type' && operator !== '!=');
  return types.filter((type) => ofType.every((condition) => typeNames(type).some(comparison(condition))));
}

function typeNames({ typeUrl, service }: TypeSummary): string[] {
  return [typeUrl, service, formatResourceType(typeUrl), findResourceType(typeUrl)?.noun ?? ''];
}

function holds(member: FleetMember, types: readonly TypeSummary[], condition: Condition): boolean {
  const values = valuesOf(member, types, condition.key);
  const isNothing = condition.value === '';
  const found = isNothing ? values.every((value) => value === '') : values.some(comparison(condition));
  return condition.operator === '!=' ? !found : found;
}

/** Compares for `!=` like for `=`. `holds` negates the result, so that `status!=NACKED` means that no resource is NACKED. */
function comparison({ operator, value }: Condition): (candidate: string) => boolean {
  if (operator === '~') return (candidate) => candidate.toLowerCase().includes(value);
  return (candidate) => candidate.toLowerCase() === value;
}

function valuesOf(
  member: FleetMember,
  types: readonly TypeSummary[],
  key: FleetFilterKey,
): readonly string[] {
  const { summary } = member;
  switch (key) {
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
      return valuesOfField(member, key);
  }
}

function statusesIn<Status extends string>(counts: Partial<Record<Status, number>>): string[] {
  return Object.entries<number | undefined>(counts)
    .filter(([, count]) => count !== undefined && count > 0)
    .map(([status]) => status);
}
