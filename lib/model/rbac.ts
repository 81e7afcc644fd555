import type { FieldReader } from './field-reader';

const rbacTypes: ReadonlySet<string> = new Set([
  'envoy.extensions.filters.http.rbac.v3.RBAC',
  'envoy.extensions.filters.network.rbac.v3.RBAC',
]);

/** Policies that are listed by name. */
const policiesNamed = 3;

/** Describes the requests or connections that an RBAC filter denies; empty for other filters, and if it denies none. */
export function readDenied(config: FieldReader | undefined, what: 'requests' | 'connections'): string {
  return config !== undefined && rbacTypes.has(config.messageName()) ? readRules(config, what) : '';
}

/** The rules of an HTTP filter that replace its own config for a virtual host or a route. */
export interface FilterOverride {
  readonly filter: string;
  /** Empty: nothing. */
  readonly denied: string;
}

/** The overrides of RBAC filters, and those that disable a filter; absent if there are none. */
export function readOverrides(owner: FieldReader): { readonly overrides?: readonly FilterOverride[] } {
  const configs = owner.object('typedPerFilterConfig');
  if (configs === undefined) return {};
  const overrides = Object.keys(configs.json).flatMap((filter): FilterOverride[] => {
    const outer = configs.object(filter);
    const isWrapper = outer?.messageName() === 'envoy.config.route.v3.FilterConfig';
    if (isWrapper && outer.boolean('disabled')) return [{ filter, denied: '' }];
    const config = isWrapper ? outer.object('config') : outer;
    if (config?.messageName() !== 'envoy.extensions.filters.http.rbac.v3.RBACPerRoute') return [];
    const rbac = config.object('rbac');
    return [{ filter, denied: rbac === undefined ? '' : readRules(rbac, 'requests') }];
  });
  return overrides.length === 0 ? {} : { overrides };
}

function readRules(config: FieldReader, what: 'requests' | 'connections'): string {
  if (config.has('matcher')) return `denies ${what} as its matcher decides`;
  const rules = config.object('rules');
  // Shadow rules and the action LOG deny nothing.
  if (rules === undefined) return '';
  const names = Object.keys(rules.object('policies')?.json ?? {});
  const listed = names.slice(0, policiesNamed).join(', ');
  const more = names.length > policiesNamed ? ` and ${names.length - policiesNamed} more` : '';
  switch (rules.enumName('action', 'ALLOW')) {
    case 'ALLOW':
      return names.length === 0
        ? `denies all ${what}: it allows by policies, and has none`
        : `denies ${what} that match none of its policies: ${listed}${more}`;
    case 'DENY':
      return names.length === 0 ? '' : `denies ${what} that match one of its policies: ${listed}${more}`;
    default:
      return '';
  }
}
