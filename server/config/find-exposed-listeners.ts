import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { findKind } from '../sources/source-kinds';
import type { Config } from './config';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

/** True if only this machine can reach a listener on the host. A name other than localhost can mean any address. */
export function isLoopback(host: string): boolean {
  if (isIPv4(host)) return loopback.check(host);
  if (isIPv6(host)) return loopback.check(host, 'ipv6');
  return host.toLowerCase() === 'localhost';
}

/** One warning for each configured address that other machines can reach. */
export function findExposedListeners({ host, token, replay, sources }: Config): string[] {
  const pages =
    token === 'none'
      ? { lack: 'sign-in', risk: 'whoever reaches it reads every config' }
      : { lack: 'encryption', risk: 'whoever reads the traffic knows the token' };
  const unprotected = [
    ...sources.flatMap(({ setup }) => findKind(setup.kind).listeners?.(setup) ?? []),
    ...(replay === null
      ? []
      : [{ flag: '--replay', host: replay.host, risk: 'whoever reaches it reads what is replayed' }]),
  ];
  const listeners = [
    { flag: '--host', host, ...pages },
    ...unprotected.map((listener) => ({ ...listener, lack: 'sign-in' })),
  ];
  return listeners
    .filter((listener) => !isLoopback(listener.host))
    .map(
      ({ flag, host: address, lack, risk }) =>
        `${flag}: other machines can reach ${address}, and there is no ${lack}: ${risk}`,
    );
}
