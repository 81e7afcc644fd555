import { isIPv6 } from 'node:net';
import type { Locality } from '@/lib/observation/observation';
import type { AddressMessage } from './channelz-messages';

export interface SubchannelTarget {
  /** As in "10.0.0.1:8080" or "[::1]:8080". */
  readonly address: string;
  readonly cluster?: string;
  readonly locality?: Locality;
}

/** gRPC-Java: "[[[/10.0.0.1:8080]/{…XdsAttributes.clusterName=shop, …}]]". */
const javaAddress = /^\[\[\[?(?:[^/\]]*)\/(\[[^\]]+\]:\d+|[^\]]+)\]/;
const javaCluster = /\bXdsAttributes\.clusterName=([^,}\]]*)/;
const javaLocality = /\bXdsAttributes\.locality=Locality\{region=([^,}]*), zone=([^,}]*), subZone=([^,}]*)\}/;

/**
 * The endpoint of a subchannel. C-core has a scheme before the address; gRPC-Java has a text with cluster and locality, as
 * the other libraries have not.
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
  return isIPv6(host) ? `[${shortIPv6(host)}]:${port}` : plain;
}

/** Of a socket; undefined if it is not reported. */
export function formatSocketAddress(address: AddressMessage | null | undefined): string | undefined {
  const { tcpipAddress, udsAddress, otherAddress } = address ?? {};
  if (udsAddress != null) return `unix:${udsAddress.filename ?? ''}`;
  if (otherAddress != null) return otherAddress.name || undefined;
  const { ipAddress = new Uint8Array(), port = 0 } = tcpipAddress ?? {};
  if (ipAddress.length === 4) return `${ipAddress.join('.')}:${port}`;
  if (ipAddress.length !== 16) return undefined;
  const groups = Array.from({ length: 8 }, (_, index) =>
    (((ipAddress[2 * index] ?? 0) << 8) | (ipAddress[2 * index + 1] ?? 0)).toString(16),
  );
  const isMapped = ipAddress.subarray(0, 10).every((byte) => byte === 0) && ipAddress[10] === 255;
  if (isMapped && ipAddress[11] === 255) return `${ipAddress.subarray(12).join('.')}:${port}`;
  return `[${shortIPv6(groups.join(':'))}]:${port}`;
}

/** RFC 5952, as URL writes it. */
function shortIPv6(host: string): string {
  return new URL(`http://[${host}]`).hostname.slice(1, -1);
}
