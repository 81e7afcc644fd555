import type { Config } from './config';
import { isLoopback } from './is-loopback';

/** One warning for each address of the configuration that other machines reach: none of them asks who connects. */
export function findExposedListeners({ host, lrsListen, replay, taps }: Config): string[] {
  const listeners = [
    { flag: '--host', host, risk: 'whoever reaches it reads every config' },
    ...taps.flatMap(({ setup }) =>
      setup.kind === 'tap'
        ? [
            {
              flag: '--tap',
              host: setup.settings.listen.host,
              risk: 'whoever reaches it is relayed to the management server',
            },
          ]
        : [],
    ),
    ...(lrsListen === null
      ? []
      : [{ flag: '--lrs-listen', host: lrsListen.host, risk: 'whoever reaches it can report load' }]),
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
