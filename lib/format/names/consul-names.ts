import type { NameParser, ParsedName } from './parsed-name';

/** The trust domain of a mesh is a UUID, with ".consul" in all but some names of peered servers. */
const sni =
  /^(?:([^~/|]+)~)?([^~/|]+)\.(internal|internal-v1|external|query|peering)\.([\da-f]{8}-[\da-f-]{27}(?:\.[a-z.]+)?)$/;

/**
 * "v1.db.default.dc1.internal.TRUST-DOMAIN": subset, service, namespace and data centre; "internal-v1" names have a
 * partition before the data centre. The trust domain is common to the mesh and is not shown.
 */
export const parseConsulName: NameParser = (name, typeName) => {
  if (name === 'local_app')
    return { convention: 'consul', title: name, qualifiers: [], direction: 'inbound' };
  return parseListener(name, typeName) ?? parseSni(name);
};

function parseSni(name: string): ParsedName | undefined {
  const [, prefix, host = '', kind = '', trustDomain] = sni.exec(name) ?? [];
  if (trustDomain === undefined) return undefined;
  const labels = host.split('.');
  const marks = [...(kind === 'internal' ? [] : [kind]), ...(prefix === undefined ? [] : [prefix])];
  // What follows the namespace: the data centre or the peer, after the partition if the name states one.
  const placeLabels = kind === 'internal-v1' ? 2 : 1;
  const service = labels.slice(0, -placeLabels - 1).at(-1);
  const namespace = labels.slice(0, -placeLabels).at(-1);
  if (kind === 'peering' || service === undefined || namespace === undefined)
    return {
      convention: 'consul',
      title: host,
      qualifiers: [kind, ...marks.filter((text) => text !== kind)],
    };
  const subset = labels.slice(0, -placeLabels - 2).join('.');
  return {
    convention: 'consul',
    title: `${service}.${namespace}`,
    qualifiers: [...labels.slice(-placeLabels), ...(subset === '' ? [] : [subset]), ...marks],
    ...{ service, namespace },
    ...(subset === '' ? {} : { subset }),
    fqdn: name.slice(prefix === undefined ? 0 : prefix.length + 1),
  };
}

/** "public_listener:0.0.0.0:8443"; a listener of an upstream is "UPSTREAM:ADDRESS:PORT". */
function parseListener(name: string, typeName: string | undefined): ParsedName | undefined {
  const [, service, address, port] = /^([\w-]+):((?:\d{1,3}\.){3}\d{1,3}):(\d{1,5})$/.exec(name) ?? [];
  if (service === undefined || address === undefined || port === undefined) return undefined;
  const isPublic = service === 'public_listener';
  if (!isPublic && typeName !== 'LDS') return undefined;
  return {
    convention: 'consul',
    title: service,
    qualifiers: [`:${port}`, ...(address === '127.0.0.1' ? [] : [address])],
    port,
    ...(isPublic ? { direction: 'inbound' } : { service }),
  };
}
