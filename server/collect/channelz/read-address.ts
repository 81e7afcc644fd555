import { isIPv6 } from 'node:net';
import type { Locality } from '@/lib/observation/observation';
import { formatIpBytes, parseIpAddress, shortIpv6 } from '../../ip-address';
import type { AddressMessage } from './channelz-messages';

interface SubchannelTarget {
  /** Such as "10.0.0.1:8080" or "[::1]:8080". */
  readonly address: string;
  readonly cluster?: string;
  readonly locality?: Locality;
}

/** gRPC-Java: "[[[/10.0.0.1:8080]/{…XdsAttributes.clusterName=shop, …}]]". */
const javaAddress = /^\[\[\[?(?:[^/\]]*)\/(\[[^\]]+\]:\d+|[^\]]+)\]/;
const javaCluster = /\bXdsAttributes\.clusterName=([^,}\]]*)/;
const javaLocality = /\bXdsAttributes\.locality=Locality\{region=([^,}]*), zone=([^,}]*), subZone=([^,}]*)\}/;

/**
 * The endpoint of a subchannel. C-core has a scheme before the address. gRPC-Java, unlike the other libraries, has a
 * text with cluster and locality.
 */
export function readSubchannelTarget(target: string): SubchannelTarget {
  const [, java] = javaAddress.exec(target) ?? [];
  if (java === undefined) return { address: readAddress(target) };
  const [, cluster] = javaCluster.exec(target) ?? [];
  const [, region, zone, subZone] = javaLocality.exec(target) ?? [];
  return {
    address: readAddress(java),
    ...(cluster !== undefined && { cluster }),
    ...(region !== undefined &&
      zone !== undefined &&
      subZone !== undefined && {
        locality: { region, zone, subZone },
      }),
  };
}

/** "ipv4:10.0.0.1:8080", "ipv6:%5B::1%5D:8080" and "0:0:0:0:0:0:0:1:8080" as the endpoints of EDS are written. */
export function readAddress(text: string): string {
  const plain = text
    .replace(/^ipv[46]:/, '')
    .replaceAll('%5B', '[')
    .replaceAll('%5D', ']');
  const [, host = '', port = ''] = /^\[?([0-9a-fA-F:.]*:[0-9a-fA-F:.]*)\]?:(\d+)$/.exec(plain) ?? [];
  return isIPv6(host) ? `[${shortIpv6(host)}]:${port}` : plain;
}

/** Returns the address of a socket as text; undefined if it is not reported. */
export function formatSocketAddress(address: AddressMessage | null | undefined): string | undefined {
  const { tcpipAddress, udsAddress, otherAddress } = address ?? {};
  if (udsAddress != null) return `unix:${udsAddress.filename ?? ''}`;
  if (otherAddress != null) return otherAddress.name || undefined;
  const { ipAddress = new Uint8Array(), port = 0 } = tcpipAddress ?? {};
  const text = formatIpBytes(ipAddress);
  if (text === undefined) return undefined;
  // IPv4-mapped IPv6 addresses are IPv4 addresses.
  const host = parseIpAddress(text)?.family === 'ipv4' ? ipAddress.subarray(-4).join('.') : `[${text}]`;
  return `${host}:${port}`;
}
