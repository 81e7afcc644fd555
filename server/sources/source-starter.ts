import type { Codec } from '../codec/codec';
import type { SourceSetup } from '../config/source-setup';
import type { AnswerReader } from '../csds/answer-reader';
import { CsdsPoller } from '../csds/csds-poller';
import type { Clock, Observe } from '../observe';
import type { TapThreads } from '../tap/tap-threads';
import type { ProbeThread } from '../xds/probe-thread';
import type { StartSource } from './source-registry';

export interface SourceStarterOptions {
  readonly observe: Observe;
  readonly clock: Clock;
  readonly codec: Codec;
  readonly answers: AnswerReader;
  readonly probes: ProbeThread;
  readonly taps: TapThreads;
  readonly csdsIntervalMs: number;
  /** Of xdscope: what the probe says that it is. */
  readonly version: string;
}

/** How a source that was named and set up becomes one that runs. */
export type StarterOf = (
  source: { readonly id: string; readonly target: string },
  setup: SourceSetup,
) => StartSource;

export function createSourceStarter({
  csdsIntervalMs,
  version,
  probes,
  taps,
  ...parts
}: SourceStarterOptions): StarterOf {
  return ({ id, target }, setup) =>
    (onStatus) => {
      const common = { ...parts, sourceId: id, onStatus };
      if (setup.kind === 'csds') {
        const { security } = setup;
        return new CsdsPoller({
          ...common,
          target,
          security,
          intervalMs: csdsIntervalMs,
          random: Math.random,
        });
      }
      if (setup.kind === 'tap') return taps.open({ ...common, settings: setup.settings });
      const node = { ...setup.node, userAgentName: 'xdscope', userAgentVersion: version };
      return probes.open({ ...common, node, settings: setup.settings });
    };
}
