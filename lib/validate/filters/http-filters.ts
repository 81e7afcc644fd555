import type { Field } from './field';

const filter = (name: string): string => `envoy.extensions.filters.http.${name}`;
export const router = filter('router.v3.Router');
const fault = filter('fault.v3.HTTPFault');

export type Side = 'client' | 'server';

/** Filters that every measured client has. */
export function isSupported(typeName: string, side: Side): boolean {
  if (typeName === router) return true;
  return side === 'client' ? typeName === fault : typeName === filter('rbac.v3.RBAC');
}

/** Has the client an implementation at all, be it for the other side? */
export function isKnownOverride(typeName: string): boolean {
  return [router, fault, filter('rbac.v3.RBAC'), filter('rbac.v3.RBACPerRoute')].includes(typeName);
}

/** A route's filter config, out of its FilterConfig wrapper. */
export function unwrapOverride(config: Field): { readonly config: Field; readonly isOptional: boolean } {
  return config.typeName === 'envoy.config.route.v3.FilterConfig'
    ? { config: config.at('config'), isOptional: config.at('isOptional').isTrue }
    : { config, isOptional: false };
}
