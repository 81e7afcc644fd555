import type { Codec } from '../codec/codec';
import type { SourceSetup } from '../config/source-setup';
import type { AnswerReader } from '../csds/answer-reader';
import { CsdsPoller } from '../csds/csds-poller';
import type { Clock, Observe } from '../observe';
import type { ProbeThread } from '../xds/probe-thread';
import type { StartSource } from './source-registry';

export interface SourceStarterOptions {
  readonly observe: Observe;
  readonly clock: Clock;
  readonly codec: Codec;
  readonly answers: AnswerReader;
  readonly probes: ProbeThread;
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
      const node = { ...setup.node, userAgentName: 'xdscope', userAgentVersion: version };
      return probes.open({ ...common, node, settings: setup.settings });
    };
}
