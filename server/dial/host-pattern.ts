import { BlockList } from 'node:net';
import { parseIpAddress } from './ip-address';

/** Hosts as an operator lists them: "10.0.0.0/8", "10.0.0.7", "istiod.istio-system.svc" or "*.svc.cluster.local". */
export interface HostPattern {
  readonly text: string;
  /** Of addresses: how many bits are fixed. Undefined of names. */
  readonly prefix: number | undefined;
  /** An address or a name; addresses match no names, and names no addresses. */
  matches(host: string): boolean;
}

/** Undefined: it is nothing of this. */
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
      // A BlockList finds IPv4 addresses in IPv6 networks, too.
      return candidate?.family === family && list.check(candidate.text, family);
    },
  };
}

function namePattern(text: string): HostPattern | undefined {
  const wanted = plainName(text);
  const name = wanted.replace(/^\*\./, '');
  if (!/^[a-z\d_]([a-z\d_-]*[a-z\d_])?(\.[a-z\d_]([a-z\d_-]*[a-z\d_])?)*$/.test(name)) return undefined;
  // "127.1", "0x7f.1": addresses to some resolvers.
  if (/(^|\.)(\d+|0x[\da-f]*)$/.test(name)) return undefined;
  const isBelow = wanted !== name;
  return {
    text,
    prefix: undefined,
    matches: (host) => (isBelow ? plainName(host).endsWith(`.${name}`) : plainName(host) === name),
  };
}

/** DNS names are the same in all cases, and with a dot at their end. */
function plainName(host: string): string {
  return host.toLowerCase().replace(/\.$/, '');
}
