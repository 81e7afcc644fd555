import { formatResourceType } from '../../xds/resource-type';
import { parseConsulName } from './consul-names';
import { parseContourName } from './contour-names';
import { parseEnvoyGatewayName } from './envoy-gateway-names';
import { parseIstioName } from './istio-names';
import { parseKumaName } from './kuma-names';
import type { NameParser, ParsedName } from './parsed-name';
import { parseProbeName } from './probe-names';
import { parseXdstpName } from './xdstp-names';

/** Longer names are not parsed; conventions stay far below it. */
const maxChars = 1024;

/** Contour and Kuma are before Envoy Gateway and Consul, whose forms are more general. */
const parsers: readonly NameParser[] = [
  ...[parseProbeName, parseXdstpName, parseIstioName, parseKumaName],
  ...[parseContourName, parseEnvoyGatewayName, parseConsulName],
];

/**
 * The parts of a name by the convention of its control plane; undefined for a name without one. Some conventions are only
 * recognised with the type of the resource, since "8080" or "a/b/c" alone may be anything.
 */
export function parseName(name: string, typeUrl?: string): ParsedName | undefined {
  if (name.length > maxChars) return undefined;
  const typeName = typeUrl === undefined ? undefined : formatResourceType(typeUrl);
  for (const parse of parsers) {
    const parsed = parse(name, typeName);
    if (parsed !== undefined) return parsed;
  }
  return undefined;
}
