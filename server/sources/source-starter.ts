import type { Codec } from '../codec/codec';
import { defaultProbeNode, type ProbeNode } from '../config/config';
import type { AnswerReader } from '../csds/answer-reader';
import { CsdsPoller } from '../csds/csds-poller';
import { parseTarget } from '../grpc/target';
import type { Clock, Observe } from '../observe';
import { Probe } from '../xds/probe';
import { defaultProbeSettings, everythingOffered } from '../xds/probe-settings';
import { plainServer } from '../xds/server-config';
import type { SourceDescription, StartSource } from './source-registry';

export interface SourceStarterOptions {
  readonly observe: Observe;
  readonly clock: Clock;
  readonly codec: Codec;
  readonly answers: AnswerReader;
  readonly csdsIntervalMs: number;
  /** Of xdscope: what the probe says that it is. */
  readonly version: string;
}

/** What an ADS source may be told beside its target. */
export interface AdsSourceSettings {
  readonly node: ProbeNode;
  /** None: wildcard LDS and CDS. */
  readonly listeners: readonly string[];
}

/** How a source that is named by kind and target becomes one that runs. The target was checked where it was named. */
export type StarterOf = (source: SourceDescription, settings?: AdsSourceSettings) => StartSource;

export function createSourceStarter({ csdsIntervalMs, version, ...parts }: SourceStarterOptions): StarterOf {
  return ({ id, kind, target }, { node, listeners } = { node: defaultProbeNode(target), listeners: [] }) =>
    (onStatus) => {
      const common = { ...parts, sourceId: id, onStatus };
      if (kind === 'csds') {
        return new CsdsPoller({ ...common, target, intervalMs: csdsIntervalMs, random: Math.random });
      }
      if (kind === 'ads') {
        const parsed = parseTarget(target);
        if (!parsed.ok) throw new Error(`${id}: ${parsed.problem.message}`);
        return new Probe({
          ...common,
          settings: {
            ...defaultProbeSettings(plainServer(parsed.target)),
            interest:
              listeners.length === 0
                ? everythingOffered
                : { ...everythingOffered, wildcard: false, listeners },
          },
          node: { ...node, userAgentName: 'xdscope', userAgentVersion: version },
        });
      }
      throw new Error(`${id}: a source of kind ${kind} is not started by its target alone`);
    };
}
