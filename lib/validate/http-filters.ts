import type { Field } from './field';
import { type Profile, profiles } from './profile';

const filter = (name: string): string => `envoy.extensions.filters.http.${name}`;
export const router = filter('router.v3.Router');
export const fault = filter('fault.v3.HTTPFault');
export const rbac = filter('rbac.v3.RBAC');
export const rbacPerRoute = filter('rbac.v3.RBACPerRoute');

export type Side = 'client' | 'server';

type Lists = Readonly<Record<Profile, readonly string[]>>;

/**
 * Filters that each client supports and enables by default. grpc-js-xds supports RBAC only behind an environment
 * variable, which is off. Stateful session (A55), gcp_authn (A83) and composite (A103) are newer than the measured
 * clients, and off by default in Java.
 */
const supported: Readonly<Record<Side, Omit<Lists, 'envoy'>>> = {
  client: { core: [router, fault], go: [router, fault], java: [router, fault], node: [router, fault] },
  server: { core: [router, rbac], go: [router, rbac], java: [router, rbac], node: [router] },
};

/**
 * Envoy supports every filter of its own API. Whether a build contains filters of others cannot be derived from
 * config.
 */
export function isSupported(typeName: string, side: Side, profile: Profile): boolean {
  return profile === 'envoy' || supported[side][profile].includes(typeName);
}

/** grpc-go, Java and grpc-js-xds compare whole type URLs; C-core and Envoy compare the part after the last slash. */
export function typeSeenBy(profile: Profile, config: Field): string {
  return profile === 'core' || profile === 'envoy' ? config.typeName : config.wholeTypeName;
}

/** Whether the client supports the filter on either side. */
export function isKnown(typeName: string, profile: Profile): boolean {
  return isSupported(typeName, 'client', profile) || isSupported(typeName, 'server', profile);
}

/**
 * Whether the client parses the config of a filter of this type in a listener. grpc-go and grpc-js-xds also parse an
 * optional filter of the other side; C-core and Java do not.
 */
export function readsConfig(profile: Profile, typeName: string, side: Side, isOptional: boolean): boolean {
  const isEager = profile === 'go' || profile === 'node';
  return isSupported(typeName, side, profile) || (isOptional && isEager && isKnown(typeName, profile));
}

/** Clients that support the type of an override: the filter's own type or its override type. */
export function knownOverrideBy(config: Field): readonly Profile[] {
  return profiles.filter((profile) => {
    const type = typeSeenBy(profile, config);
    return isKnown(type, profile) || (type === rbacPerRoute && isKnown(rbac, profile));
  });
}

/** The config of an override without its FilterConfig wrapper. */
export function unwrapOverride(config: Field): { readonly config: Field; readonly isOptional: boolean } {
  return config.typeName === 'envoy.config.route.v3.FilterConfig'
    ? { config: config.at('config'), isOptional: config.at('isOptional').isTrue }
    : { config, isOptional: false };
}
