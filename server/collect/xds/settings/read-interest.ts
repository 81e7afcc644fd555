import {
  findListenerOfTarget,
  type ListenerNameTemplates,
  serverListenerName,
} from '@/lib/xds/listener-name';
import { parseResourceNameOf } from '@/lib/xds/resource-name';
import { LDS, normaliseTypeUrl, resourceTypes } from '@/lib/xds/resource-type';
import { parseTarget } from '../../../transport/targets/target';
import { SettingError } from '../../source-kind/setting-error';
import type { ProbeInterest } from '../client/wanted-names';

interface StatedInterest {
  /** Names, or `xds:` targets. */
  readonly listeners: readonly string[];
  /** "SDS" or a type URL -> names. */
  readonly resources: Readonly<Record<string, readonly string[]>>;
}

/**
 * Everything that the server offers unless listeners are stated, which are followed as by a client. Throws SettingError with a field that begins with `where`.
 */
export function readInterest(
  { listeners, resources }: StatedInterest,
  templates: ListenerNameTemplates,
  where: string,
): ProbeInterest {
  const listenerNames = listeners.map((listener, index) => {
    const field = `${where}listeners.${index}`;
    if (/^xds:/i.test(listener)) return readTarget(listener, templates, field);
    return checkName(LDS.typeUrl, listener, field);
  });
  const byType = new Map<string, readonly string[]>();
  for (const [type, names] of Object.entries(resources)) {
    const typeUrl = readType(type, `${where}resources`);
    const checked = names.map((name, index) =>
      checkName(typeUrl, name, `${where}resources.${type}.${index}`),
    );
    byType.set(typeUrl, [...new Set([...(byType.get(typeUrl) ?? []), ...checked])]);
  }
  return {
    wildcard: listenerNames.length === 0,
    listeners: [...new Set(listenerNames)],
    resources: byType,
  };
}

/** The listener name of a client's target. `field` is the field in errors. */
export function readTarget(target: string, templates: ListenerNameTemplates, field: string): string {
  const found = findListenerOfTarget(target, templates);
  if (!found.ok) throw new SettingError(field, found.message);
  return found.listener;
}

/** The listener of a gRPC server (gRFC A36); `template` is undefined without a bootstrap, null where that has none. */
export function readServerListener(
  address: string,
  template: string | null | undefined,
  field: string,
): string {
  if (!template) {
    const got = template === null ? 'a bootstrap without' : 'no bootstrap';
    throw new SettingError(
      field,
      `expected a bootstrap with server_listener_resource_name_template beside it, got ${got}`,
    );
  }
  const parsed = parseTarget(address);
  if (!parsed.ok) throw new SettingError(field, parsed.problem.message);
  return serverListenerName(template, parsed.target.text);
}

/** "SDS", or a type URL with or without its prefix. */
export function readType(type: string, field: string): string {
  const known = resourceTypes.find(({ service }) => service === type.toUpperCase());
  if (known !== undefined) return known.typeUrl;
  if (type.includes('.')) return normaliseTypeUrl(type);
  const services = resourceTypes.map(({ service }) => service).join(', ');
  throw new SettingError(field, `expected one of ${services} or a type URL, got ${JSON.stringify(type)}`);
}

function checkName(typeUrl: string, name: string, field: string): string {
  const parsed = parseResourceNameOf(typeUrl, name);
  if (!parsed.ok) throw new SettingError(field, parsed.message);
  return name;
}
