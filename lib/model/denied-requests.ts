import type { FieldReader } from './field-reader';
import { readPercent } from './fractional-percent';

const rbacTypes: ReadonlySet<string> = new Set([
  'envoy.extensions.filters.http.rbac.v3.RBAC',
  'envoy.extensions.filters.network.rbac.v3.RBAC',
]);
const faultType = 'envoy.extensions.filters.http.fault.v3.HTTPFault';

/** Policies that are listed by name. */
const policiesNamed = 3;

/** The requests or connections that a filter ends itself. */
export interface Denied {
  /** A description; empty if there are none. */
  readonly denied: string;
  /** Set if it ends each of them. */
  readonly deniesAll?: true;
}

const none: Denied = { denied: '' };

/** Reads what an RBAC filter denies, and what a fault filter aborts. Other filters deny nothing here. */
export function readDenied(config: FieldReader | undefined, what: 'requests' | 'connections'): Denied {
  const type = config?.messageName() ?? '';
  if (config !== undefined && rbacTypes.has(type)) return readRules(config, what);
  return config !== undefined && type === faultType ? readFault(config) : none;
}

/** What replaces the own config of an HTTP filter for a virtual host or a route. */
export interface FilterOverride extends Denied {
  readonly filter: string;
}

/** The overrides of RBAC and fault filters, and those that disable a filter; absent if there are none. */
export function readOverrides(owner: FieldReader): { readonly overrides?: readonly FilterOverride[] } {
  const configs = owner.object('typedPerFilterConfig');
  if (configs === undefined) return {};
  const overrides = Object.keys(configs.json).flatMap((filter): FilterOverride[] => {
    const outer = configs.object(filter);
    const isWrapper = outer?.messageName() === 'envoy.config.route.v3.FilterConfig';
    if (isWrapper && outer.boolean('disabled')) return [{ filter, ...none }];
    const config = isWrapper ? outer.object('config') : outer;
    switch (config?.messageName()) {
      case 'envoy.extensions.filters.http.rbac.v3.RBACPerRoute': {
        const rbac = config.object('rbac');
        return [{ filter, ...(rbac === undefined ? none : readRules(rbac, 'requests')) }];
      }
      case faultType:
        return [{ filter, ...readFault(config) }];
      default:
        return [];
    }
  });
  return overrides.length === 0 ? {} : { overrides };
}

function readRules(config: FieldReader, what: 'requests' | 'connections'): Denied {
  if (config.has('matcher')) return { denied: `denies ${what} as its matcher decides` };
  const rules = config.object('rules');
  // Shadow rules and the action LOG deny nothing.
  if (rules === undefined) return none;
  const names = Object.keys(rules.object('policies')?.json ?? {});
  const listed = names.slice(0, policiesNamed).join(', ');
  const more = names.length > policiesNamed ? ` and ${names.length - policiesNamed} more` : '';
  switch (rules.enumName('action', 'ALLOW')) {
    case 'ALLOW':
      return names.length === 0
        ? { denied: `denies all ${what}: it allows by policies, and has none`, deniesAll: true }
        : { denied: `denies ${what} that match none of its policies: ${listed}${more}` };
    case 'DENY':
      return names.length === 0
        ? none
        : { denied: `denies ${what} that match one of its policies: ${listed}${more}` };
    default:
      return none;
  }
}

/** Fields that choose the requests to which the fault applies, or limit their number. */
const faultConditions = ['headers', 'upstreamCluster', 'downstreamNodes', 'maxActiveFaults'] as const;

/** gRFC A33. */
function readFault(config: FieldReader): Denied {
  const abort = config.object('abort');
  const percent = readPercent(abort?.object('percentage')) ?? 0;
  if (abort === undefined || percent === 0) return none;
  const share = percent < 100 ? `${percent}% of requests` : 'every request';
  const http = abort.number('httpStatus');
  const answer =
    http === undefined ? `gRPC status ${abort.number('grpcStatus') ?? 0}` : `HTTP status ${http}`;
  if (abort.has('headerAbort')) return { denied: `aborts ${share} whose headers state a fault` };
  if (faultConditions.some((field) => config.has(field)))
    return { denied: `aborts ${percent}% of the requests that match its conditions with ${answer}` };
  const denied = `aborts ${share} with ${answer}`;
  return percent < 100 ? { denied } : { denied, deniesAll: true };
}
