import { type Client, clientOf, type Profile, profiles, since } from '../xds/profile';
import type { Field } from './field';

const filter = (name: string): string => `envoy.extensions.filters.http.${name}`;
export const filterConfig = 'envoy.config.route.v3.FilterConfig';
export const router = filter('router.v3.Router');
export const fault = filter('fault.v3.HTTPFault');
export const rbac = filter('rbac.v3.RBAC');
export const rbacPerRoute = filter('rbac.v3.RBACPerRoute');
export const statefulSession = filter('stateful_session.v3.StatefulSession');
export const statefulSessionPerRoute = filter('stateful_session.v3.StatefulSessionPerRoute');
export const gcpAuthn = filter('gcp_authn.v3.GcpAuthnFilterConfig');

export type Side = 'client' | 'server';

type Lists = Readonly<Record<Client, readonly string[]>>;

/**
 * Filters that each client supports and enables by default. grpc-js-xds supports RBAC only behind an environment
 * variable, which is off.
 */
const supported: Readonly<Record<Side, Omit<Lists, 'envoy'>>> = {
  client: { core: [router, fault], go: [router, fault], java: [router, fault], node: [router, fault] },
  server: { core: [router, rbac], go: [router, rbac], java: [router, rbac], node: [router] },
};

/**
 * Filters of the client side that only newer releases support. Of the measured clients, only C-core enables stateful
 * session (A55).
 */
const newer: ReadonlyMap<string, readonly Profile[]> = new Map([
  [statefulSession, since('core-1.56')],
  [gcpAuthn, [...since('core-1.73'), 'java-1.85']],
]);

/**
 * Envoy supports every filter of its own API. Whether a build contains filters of others cannot be derived from
 * config.
 */
export function isSupported(typeName: string, side: Side, profile: Profile): boolean {
  const client = clientOf(profile);
  if (client === 'envoy' || supported[side][client].includes(typeName)) return true;
  return side === 'client' && newer.get(typeName)?.includes(profile) === true;
}

/** grpc-go, Java and grpc-js-xds compare whole type URLs; C-core and Envoy compare the part after the last slash. */
export function typeSeenBy(profile: Profile, config: Field): string {
  return ['core', 'envoy'].includes(clientOf(profile)) ? config.typeName : config.wholeTypeName;
}

/** Returns true if the client supports the filter on either side. */
export function isKnown(typeName: string, profile: Profile): boolean {
  return isSupported(typeName, 'client', profile) || isSupported(typeName, 'server', profile);
}

/**
 * Returns true if the client parses the config of a filter of this type in a listener. grpc-go and grpc-js-xds also
 * parse an optional filter of the other side; C-core and Java do not.
 */
export function readsConfig(profile: Profile, typeName: string, side: Side, isOptional: boolean): boolean {
  const isEager = ['go', 'node'].includes(clientOf(profile));
  return isSupported(typeName, side, profile) || (isOptional && isEager && isKnown(typeName, profile));
}

const withoutOwnOverride = new Set(since('core-1.80'));

/** Clients that support the type of an override: the filter's own type or its override type. */
export function knownOverrideBy(config: Field): readonly Profile[] {
  return profiles.filter((profile) => {
    const type = typeSeenBy(profile, config);
    // C-core has had no override of the types of these two filters themselves since 1.80.
    if (withoutOwnOverride.has(profile) && (type === router || type === rbac)) return false;
    return (
      isKnown(type, profile) ||
      (type === rbacPerRoute && isKnown(rbac, profile)) ||
      (type === statefulSessionPerRoute && isKnown(statefulSession, profile))
    );
  });
}

/** The config of an override without its FilterConfig wrapper. */
export function unwrapOverride(config: Field): { readonly config: Field; readonly isOptional: boolean } {
  return config.typeName === filterConfig
    ? { config: config.at('config'), isOptional: config.at('isOptional').isTrue }
    : { config, isOptional: false };
}
