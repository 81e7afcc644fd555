import { findKind } from '../sources/source-kinds';
import { isLoopback } from '../transport/targets/is-loopback';
import type { Config } from './config';

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
