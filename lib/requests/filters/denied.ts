import { FieldReader } from '../../model/field-reader';
import type { Profile } from '../../xds/profile';
import { describeAborts } from './fault';
import type { FilterRequest } from './filter-decision';
import { describeRbac } from './rbac';

/** The requests or connections that a filter ends itself. */
export interface Denied {
  /** A description, as in "denies all requests: ..."; empty if there are none. */
  readonly denied: string;
  /** Set if it ends each of them. */
  readonly deniesAll?: true;
}

type Json = Readonly<Record<string, unknown>>;

const none: Denied = { denied: '' };
const known = new WeakMap<Json, Map<string, Denied>>();

/**
 * Describes what an RBAC or ext_authz filter denies, and what a fault filter aborts, if nothing is known of a request. `config`: in proto3 JSON, of
 * the filter or of a route; absent: the filter is disabled. `port`: the destination port of each connection; absent: any. Other filters deny nothing here.
 */
export function findDenied(
  config: Json | undefined,
  what: 'requests' | 'connections',
  profile: Profile,
  port?: number,
): Denied {
  if (config === undefined) return none;
  const ofConfig = known.get(config) ?? new Map<string, Denied>();
  known.set(config, ofConfig);
  const key = `${profile} ${what} ${port ?? ''}`;
  const denied = ofConfig.get(key) ?? describe(FieldReader.open(config, []), what, profile, port);
  ofConfig.set(key, denied);
  return denied;
}

function describe(config: FieldReader, what: string, profile: Profile, port?: number): Denied {
  const request = anyRequest(config, profile, port);
  const type = config.messageName();
  if (type === 'envoy.extensions.filters.http.fault.v3.HTTPFault') {
    const aborts = describeAborts(config, request);
    return aborts === undefined ? none : { denied: aborts.text, ...(aborts.isAll && { deniesAll: true }) };
  }
  const isOfService = type.endsWith('.http.ext_authz.v3.ExtAuthz');
  if (isOfService || (type.endsWith('.ext_authz.v3.ExtAuthzPerRoute') && config.has('checkSettings')))
    return { denied: 'denies requests that its external service does not allow' };
  const isPerRoute = type.endsWith('.rbac.v3.RBACPerRoute');
  if (!isPerRoute && !type.endsWith('.rbac.v3.RBAC')) return none;
  const rules = isPerRoute ? config.object('rbac') : config;
  const denied = rules && describeRbac(rules, request);
  if (denied === undefined) return none;
  const { isAll, which } = denied;
  return isAll
    ? { denied: `denies all ${what}: ${which}`, deniesAll: true }
    : { denied: `denies ${what} ${which}` };
}

/** A request of which nothing else is known. */
function anyRequest(config: FieldReader, profile: Profile, port: number | undefined): FilterRequest {
  const empty = FieldReader.open({}, []);
  return {
    ...{ config, profile, overrides: [], manager: empty, cluster: undefined, whyFails: () => '' },
    owners: [FieldReader.open({ route: {} }, [])],
    destination: { address: undefined, port },
    request: {
      ...{ method: '', authority: '', path: '', headers: [] },
      scheme: 'https',
    },
    find: () => ({ kind: 'depends', reason: 'it depends on the request' }),
  };
}
