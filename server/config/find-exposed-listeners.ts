import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { findKind } from '../sources/source-kinds';
import type { Config } from './config';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

/** Whether only this machine reaches what listens there. A name other than localhost can mean any address. */
export function isLoopback(host: string): boolean {
  if (isIPv4(host)) return loopback.check(host);
  if (isIPv6(host)) return loopback.check(host, 'ipv6');
  return host.toLowerCase() === 'localhost';
}

/** One warning for each configured address that other machines can reach, because none requires authentication. */
export function findExposedListeners({ host, replay, sources }: Config): string[] {
  const listeners = [
    { flag: '--host', host, risk: 'whoever reaches it reads every config' },
    ...sources.flatMap(({ setup }) => findKind(setup.kind).listeners?.(setup) ?? []),
    ...(replay === null
      ? []
      : [{ flag: '--replay', host: replay.host, risk: 'whoever reaches it reads what is replayed' }]),
  ];
  return listeners
    .filter((listener) => !isLoopback(listener.host))
    .map(
      ({ flag, host: address, risk }) =>
        `${flag}: other machines can reach ${address}, and there is no sign-in: ${risk}`,
    );
}
