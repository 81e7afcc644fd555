import type { NameParser, ParsedName } from './parsed-name';

/** The types of destinations in KRIs. Types of policies are shown as they are. */
const destinationTypes: ReadonlySet<string> = new Set(['msvc', 'mzsvc', 'extsvc']);

/** KRIs ("kri_TYPE_MESH_ZONE_NAMESPACE_NAME_SECTION"), names of their predecessors, and those of inbounds and outbounds. */
export const parseKumaName: NameParser = (name) =>
  parseKri(name) ?? parseLegacyService(name) ?? parseSelf(name) ?? parsePassthrough(name) ?? parseBound(name);

function parseKri(name: string): ParsedName | undefined {
  if (!name.startsWith('kri_')) return undefined;
  const [, type = '', mesh = '', zone = '', namespace = '', service, ...section] = name.split('_');
  if (!service) return undefined;
  return describe({ type, mesh, zone, namespace, service, section: section.join('_') });
}

/** "default_cart__default_msvc_80": mesh, name, namespace, zone, type and port. */
function parseLegacyService(name: string): ParsedName | undefined {
  const [mesh = '', service, namespace = '', zone = '', type = '', section = '', ...more] = name.split('_');
  if (!service || !destinationTypes.has(type) || !/^\d{1,5}$/.test(section) || more.length > 0)
    return undefined;
  return describe({ type, mesh, zone, namespace, service, section });
}

interface Parts {
  readonly type: string;
  readonly mesh: string;
  readonly zone: string;
  readonly namespace: string;
  readonly service: string;
  readonly section: string;
}

function describe({ type, mesh, zone, namespace, service, section }: Parts): ParsedName {
  const isDestination = destinationTypes.has(type);
  const isNumber = /^\d{1,5}$/.test(section);
  return {
    convention: 'kuma',
    title: namespace === '' ? service : `${service}.${namespace}`,
    qualifiers: [
      isNumber ? `:${section}` : section,
      zone === '' ? '' : `zone ${zone}`,
      mesh === 'default' ? '' : `mesh ${mesh}`,
      type === 'msvc' ? '' : type,
    ].filter((text) => text !== ''),
    service,
    ...(namespace === '' ? {} : { namespace }),
    // A section of a policy is one of its rules.
    ...(isDestination && section !== '' ? { port: section } : {}),
    ...(isDestination ? { direction: 'outbound' } : {}),
  };
}

/** "self_inbound_dp_17777": an inbound of the proxy itself. */
function parseSelf(name: string): ParsedName | undefined {
  const [, section] = /^self_inbound_dp_([\w-]+)$/.exec(name) ?? [];
  if (section === undefined) return undefined;
  const mark = /^\d{1,5}$/.test(section) ? `:${section}` : section;
  return { convention: 'kuma', title: 'inbound', qualifiers: [mark], port: section, direction: 'inbound' };
}

/** "meshpassthrough_http_10.42.0.8_9091". */
function parsePassthrough(name: string): ParsedName | undefined {
  const [, protocol, host, port] = /^meshpassthrough_([a-z]+)_(?:(.+)_)?(\*|\d{1,5})$/.exec(name) ?? [];
  if (protocol === undefined || port === undefined) return undefined;
  return {
    convention: 'kuma',
    title: host ?? 'any host',
    qualifiers: [`:${port}`, protocol, 'passthrough'],
    ...(host === undefined ? {} : { service: host }),
    port,
    direction: 'outbound',
  };
}

/** "inbound:10.0.0.1:80", "outbound:backend". */
function parseBound(name: string): ParsedName | undefined {
  const [, direction, target = ''] = /^(inbound|outbound):(.+)$/.exec(name) ?? [];
  if (direction !== 'inbound' && direction !== 'outbound') return undefined;
  const [, address, port] = /^(\[?[\da-fA-F.:]+\]?):(\d{1,5})$/.exec(target) ?? [];
  if (address === undefined || port === undefined)
    return { convention: 'kuma', title: target, qualifiers: [direction], service: target, direction };
  return { convention: 'kuma', title: address, qualifiers: [`:${port}`, direction], port, direction };
}
