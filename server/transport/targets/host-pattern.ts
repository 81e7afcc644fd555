import { BlockList } from 'node:net';
import { parseIpAddress } from '../../ip-address';
import type { Target } from './target';

/** A CIDR, an address or a host name: "10.0.0.0/8", "10.0.0.7", "istiod.istio-system.svc" or "*.svc.cluster.local". */
export interface HostPattern {
  readonly text: string;
  /** The prefix length of an address pattern. Undefined for a name. */
  readonly prefix: number | undefined;
  /** `host` is an address or a name. Address patterns match no names, and name patterns no addresses. */
  matches(host: string): boolean;
}

/** Returns undefined for any other text. */
export function parseHostPattern(text: string): HostPattern | undefined {
  const [net = '', bits, ...more] = text.split('/');
  const address = parseIpAddress(net);
  if (address === undefined) return bits === undefined ? namePattern(text) : undefined;
  const { family } = address;
  const maxPrefix = family === 'ipv4' ? 32 : 128;
  if (more.length > 0 || (bits !== undefined && !/^\d{1,3}$/.test(bits))) return undefined;
  const prefix = bits === undefined ? maxPrefix : Number(bits);
  if (prefix > maxPrefix) return undefined;
  const list = new BlockList();
  list.addSubnet(address.text, prefix, family);
  return {
    text,
    prefix,
    matches: (host) => {
      const candidate = parseIpAddress(host);
      // A BlockList also finds IPv4 addresses in IPv6 networks.
      return candidate?.family === family && list.check(candidate.text, family);
    },
  };
}

function namePattern(text: string): HostPattern | undefined {
  const wanted = plainName(text);
  const name = wanted.replace(/^\*\./, '');
  if (!/^[a-z\d_]([a-z\d_-]*[a-z\d_])?(\.[a-z\d_]([a-z\d_-]*[a-z\d_])?)*$/.test(name)) return undefined;
  // Some resolvers take "127.1" and "0x7f.1" for addresses.
  if (/(^|\.)(\d+|0x[\da-f]*)$/.test(name)) return undefined;
  const isBelow = wanted !== name;
  return {
    text,
    prefix: undefined,
    matches: (host) => (isBelow ? plainName(host).endsWith(`.${name}`) : plainName(host) === name),
  };
}

/** DNS names are case-insensitive and may end with a dot. */
function plainName(host: string): string {
  return host.toLowerCase().replace(/\.$/, '');
}

/** A host pattern with a port: "istiod.istio-system.svc:15012", "*.istio-system.svc:15012" or "10.0.0.0/8:*". */
interface TargetPattern {
  readonly text: string;
  /** Compares the host of the target, not the addresses that it resolves to. */
  matches(target: Pick<Target, 'host' | 'port'>): boolean;
}

/** Returns undefined for any other text. IPv6 addresses and networks are in brackets. */
export function parseTargetPattern(text: string): TargetPattern | undefined {
  const [, bracketed, plain, port = ''] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5}|\*)$/.exec(text) ?? [];
  const host = parseHostPattern(bracketed ?? plain ?? '');
  if (host === undefined) return undefined;
  return {
    text,
    matches: (target) => (port === '*' || Number(port) === target.port) && host.matches(target.host),
  };
}
