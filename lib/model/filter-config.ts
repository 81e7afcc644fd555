import type { FieldReader } from './field-reader';

/** What is kept of the config of a filter. */
export interface FilterConfig {
  /** In proto3 JSON, of filters that end requests by their config, or let a service decide: RBAC, fault, ext_authz and ext_proc. */
  readonly config?: Readonly<Record<string, unknown>>;
}

const kept = /^envoy\.extensions\.filters\.(http|network)\.(rbac|fault|ext_authz|ext_proc)\.v3\./;

export function keepConfig(config: FieldReader | undefined): FilterConfig {
  return config !== undefined && kept.test(config.messageName()) ? { config: config.json } : {};
}

/** What replaces the own config of an HTTP filter for a virtual host or a route; without a config, it is disabled. */
export interface FilterOverride extends FilterConfig {
  readonly filter: string;
}

/** The overrides of these filters, and those that disable a filter; absent if there are none. */
export function readOverrides(owner: FieldReader): { readonly overrides?: readonly FilterOverride[] } {
  const configs = owner.object('typedPerFilterConfig');
  if (configs === undefined) return {};
  const overrides = Object.keys(configs.json).flatMap((filter): FilterOverride[] => {
    const outer = configs.object(filter);
    const isWrapper = outer?.messageName() === 'envoy.config.route.v3.FilterConfig';
    if (isWrapper && outer.boolean('disabled')) return [{ filter }];
    const own = keepConfig(isWrapper ? outer.object('config') : outer);
    return own.config === undefined ? [] : [{ filter, ...own }];
  });
  return overrides.length === 0 ? {} : { overrides };
}
