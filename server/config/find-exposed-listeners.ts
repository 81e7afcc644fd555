import { findKind } from '../sources/source-kinds';
import type { Config } from './config';
import { isLoopback } from './is-loopback';

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
