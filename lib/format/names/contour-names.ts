import type { NameParser } from './parsed-name';

/** Contour ends the name of a cluster with a hash of its policies; this is the one of a cluster without any. */
const noPolicies = 'da39a3ee5e';

/** Clusters are named "NAMESPACE/SERVICE/PORT/HASH", listeners and route configurations after their entry point. */
export const parseContourName: NameParser = (name) => {
  if (name === 'ingress_http' || name === 'ingress_https')
    return { convention: 'contour', title: name, qualifiers: [], direction: 'inbound' };
  const [, namespace, service, port, hash] = /^([^/]+)\/([^/]+)\/([\w-]+)\/([\da-f]{10})$/.exec(name) ?? [];
  if (namespace === undefined || service === undefined || port === undefined || hash === undefined)
    return undefined;
  return {
    convention: 'contour',
    title: `${service}.${namespace}`,
    qualifiers: [/^\d+$/.test(port) ? `:${port}` : port, ...(hash === noPolicies ? [] : [hash])],
    ...{ service, namespace, port, direction: 'outbound' },
  };
};
