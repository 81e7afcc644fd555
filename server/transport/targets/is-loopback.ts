import { BlockList, isIPv4, isIPv6 } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

/** True if only this machine can reach a listener on the host. A name other than localhost can mean any address. */
export function isLoopback(host: string): boolean {
  if (isIPv4(host)) return loopback.check(host);
  if (isIPv6(host)) return loopback.check(host, 'ipv6');
  return host.toLowerCase() === 'localhost';
}
