import type { ClientSummary, TypeSummary } from '../../api/schema';
import { formatLocality } from '../../format/locality';
import { findResourceType, formatResourceType } from '../../xds/resource-type';
import { type ClientStatus, type ConfigStatus, clientStatuses, configStatuses } from '../../xds/status';

/** The keys that an expression may name, with what they compare. */
export const fleetFilterKeys = {
  status: 'a ClientStatus that a resource has, as in status=NACKED',
  config: 'a ConfigStatus that the control plane tells, as in config=STALE',
  type: 'a resource type that the client has, as in type=CDS; narrows status, config and version',
  node: 'the node id',
  scope: 'the client scope',
  cluster: 'the node’s cluster',
  locality: 'region / zone / sub-zone',
  agent: 'the user agent',
  source: 'the id of a source that tells of the client',
  fresh: 'live, stale or gone',
  version: 'a version in use',
  trouble: 'yes or no',
} as const;
export type FleetFilterKey = keyof typeof fleetFilterKeys;

type Operator = '=' | '!=' | '~';

interface Condition {
  readonly key: FleetFilterKey;
  readonly operator: Operator;
  readonly value: string;
}

export interface FleetFilter {
  /** Lower case; each must occur in the node id, scope, locality, user agent or trouble text. */
  readonly words: readonly string[];
  readonly conditions: readonly Condition[];
  /** What could not be understood, in words. Such a part is left out: it hides nothing. */
  readonly problems: readonly string[];
}

/**
 * Reads a filter: words apart by spaces, all of which must hold. `key=value` and `key!=value` compare the whole,
 * `key~value` looks for a part; quotes keep spaces together: `locality~"eu / eu-1" status=NACKED cart`.
 * Case does not matter. Whatever is typed is a filter; what makes no sense comes back in `problems`.
 */
export function parseFleetFilter(text: string): FleetFilter {
  const words: string[] = [];
  const conditions: Condition[] = [];
  const problems: string[] = [];
  for (const [token] of text.matchAll(/(?:"[^"]*"?|[^\s"])+/g)) {
    const expression = /^([a-z]+)(!=|=|~)(.*)$/i.exec(token);
    if (expression === null) {
      words.push(unquote(token).toLowerCase());
      continue;
    }
    const [, key = '', operator = '=', rest = ''] = expression;
    const parsed = parseCondition(key.toLowerCase(), operator as Operator, unquote(rest));
    if (typeof parsed === 'string') problems.push(parsed);
    else conditions.push(parsed);
  }
  return { words: words.filter((word) => word !== ''), conditions, problems };
}

function unquote(text: string): string {
  return text.replaceAll('"', '');
}

const allowedValues: Partial<Record<FleetFilterKey, readonly string[]>> = {
  status: clientStatuses,
  config: configStatuses,
  fresh: ['live', 'stale', 'gone'],
  trouble: ['yes', 'no'],
};

function parseCondition(key: string, operator: Operator, value: string): Condition | string {
  if (!isKey(key)) return `no filter is called "${key}": expected ${Object.keys(fleetFilterKeys).join(', ')}`;
  if (value === '') return `${key}${operator} expects a value`;
  const allowed = allowedValues[key];
  const wanted = value.toLowerCase();
  if (operator !== '~' && allowed?.some((one) => one.toLowerCase() === wanted) === false) {
    return `${key}: expected ${allowed.join(', ')}, got "${value}"`;
  }
  return { key, operator, value: wanted };
}

function isKey(key: string): key is FleetFilterKey {
  return Object.hasOwn(fleetFilterKeys, key);
}

export function matchesFleetFilter(client: ClientSummary, { words, conditions }: FleetFilter): boolean {
  if (words.length > 0) {
    const { nodeId, scope, cluster, locality, userAgent, troubleText } = client;
    const text = [nodeId, scope, cluster, formatLocality(locality), userAgent, troubleText]
      .join('\n')
      .toLowerCase();
    if (!words.every((word) => text.includes(word))) return false;
  }
  const types = findTypes(client, conditions);
  return conditions.every((condition) => holds(client, types, condition));
}

/** The types that `type=` leaves: `type=CDS status=NACKED` means a NACKed cluster, not any NACK of a CDS user. */
function findTypes({ types }: ClientSummary, conditions: readonly Condition[]): readonly TypeSummary[] {
  const ofType = conditions.filter(({ key, operator }) => key === 'type' && operator !== '!=');
  return types.filter((type) => ofType.every((condition) => typeNames(type).some(comparison(condition))));
}

function typeNames({ typeUrl, service }: TypeSummary): string[] {
  return [typeUrl, service, formatResourceType(typeUrl), findResourceType(typeUrl)?.noun ?? ''];
}

function holds(client: ClientSummary, types: readonly TypeSummary[], condition: Condition): boolean {
  const values = valuesOf(client, types, condition.key);
  const found = values.some(comparison(condition));
  return condition.operator === '!=' ? !found : found;
}

/** `!=` asks for the same as `=`; `holds` turns it round, so that "no resource is NACKED" can be said. */
function comparison({ operator, value }: Condition): (candidate: string) => boolean {
  if (operator === '~') return (candidate) => candidate.toLowerCase().includes(value);
  return (candidate) => candidate.toLowerCase() === value;
}

function valuesOf(client: ClientSummary, types: readonly TypeSummary[], key: FleetFilterKey): string[] {
  switch (key) {
    case 'status':
      return types.flatMap(({ byClientStatus }) => statusesIn<ClientStatus>(byClientStatus));
    case 'config':
      return types.flatMap(({ byConfigStatus }) => statusesIn<ConfigStatus>(byConfigStatus));
    case 'type':
      return client.types.filter(({ total }) => total > 0).flatMap(typeNames);
    case 'version':
      return types.flatMap(({ versions }) => versions);
    case 'node':
      return [client.nodeId];
    case 'scope':
      return [client.scope];
    case 'cluster':
      return [client.cluster];
    case 'locality':
      return [formatLocality(client.locality), ...Object.values(client.locality ?? {})];
    case 'agent':
      return [client.userAgent];
    case 'source':
      return client.reports.map(({ sourceId }) => sourceId);
    case 'fresh':
      return [client.freshness];
    case 'trouble':
      return [client.trouble > 0 ? 'yes' : 'no'];
  }
}

function statusesIn<Status extends string>(counts: Partial<Record<Status, number>>): string[] {
  return Object.entries<number | undefined>(counts)
    .filter(([, count]) => count !== undefined && count > 0)
    .map(([status]) => status);
}
