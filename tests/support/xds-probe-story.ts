import { vi } from 'vitest';
import type { Observation } from '@/lib/observation/observation';
import { createCodec } from '@/server/codec/codec';
import { Probe, type ProbeOptions } from '@/server/collect/xds/probe/probe';
import { defaultProbeSettings, type ProbeSettings } from '@/server/collect/xds/probe/probe-settings';
import type { Body, Clock } from '@/server/observe';
import { plainServer } from '@/server/transport/bootstrap/server-config';
import { parseTarget, type Target } from '@/server/transport/targets/target';
import { patienceMs } from '@/tests/support/patience';
import type { AnyMessage } from './builders/xds-wire';

/** A probe and everything that it reports. */
export interface ProbeStory {
  readonly probe: Probe;
  readonly reported: Observation[];
  readonly bodies: Body[];
  /** The observations of one kind, oldest first. */
  of<K extends Observation['kind']>(kind: K): Extract<Observation, { kind: K }>[];
  /** Waits for the n-th observation of a kind. */
  nth<K extends Observation['kind']>(kind: K, count: number): Promise<Extract<Observation, { kind: K }>>;
  /** The current client statuses by "Listener name". */
  statuses(): Record<string, string>;
}

export const probeNodeId = 'xdscope-probe';

export function targetOf(text: string): Target {
  const parsed = parseTarget(text);
  if (!parsed.ok) throw new Error(parsed.problem.message);
  return parsed.target;
}

export function probeStory(
  options: { target: string; clock: Clock; settings?: Partial<ProbeSettings> } & Partial<
    Omit<ProbeOptions, 'settings' | 'clock'>
  >,
): ProbeStory {
  const reported: Observation[] = [];
  const bodies: Body[] = [];
  const probe = new Probe({
    sourceId: 'probe-1',
    node: {
      id: probeNodeId,
      cluster: '',
      locality: null,
      metadata: {},
      userAgentName: 'xdscope',
      userAgentVersion: '',
    },
    codec: createCodec({ redactionKey: new Uint8Array(32) }),
    observe: (emission) => {
      reported.push(emission.observation);
      bodies.push(...emission.bodies);
    },
    onStatus: () => {},
    random: () => 0.5,
    ...options,
    settings: { ...defaultProbeSettings(plainServer(targetOf(options.target))), ...options.settings },
  });
  const of: ProbeStory['of'] = <K extends Observation['kind']>(kind: K) =>
    reported.filter((each): each is Extract<Observation, { kind: K }> => each.kind === kind);
  return {
    probe,
    reported,
    bodies,
    of,
    nth: (kind, count) =>
      until(() => {
        const found = of(kind)[count - 1];
        if (found === undefined) {
          throw new Error(`expected ${count} ${kind}, got: ${reported.map((each) => each.kind).join(', ')}`);
        }
        return found;
      }),
    statuses: () => foldStatuses(reported),
  };
}

/** Waits until `check` does not throw. */
export function until<T>(check: () => T): Promise<T> {
  return vi.waitFor(check, { interval: 5, timeout: patienceMs(60_000) });
}

function foldStatuses(reported: readonly Observation[]): Record<string, string> {
  const statuses = new Map<string, string>();
  const keyOf = (typeUrl: string, name: string): string => `${typeUrl.split('.').at(-1)} ${name}`;
  for (const each of reported) {
    if (!('changed' in each)) continue;
    for (const { typeUrl, name } of each.removed) statuses.delete(keyOf(typeUrl, name));
    for (const { typeUrl, name, clientStatus } of each.changed)
      statuses.set(keyOf(typeUrl, name), clientStatus);
  }
  return Object.fromEntries([...statuses].sort());
}

/** A resource of the management server. */
export function resourceOf(
  name: string,
  { type_url: typeUrl, value: bytes }: AnyMessage,
): {
  typeUrl: string;
  name: string;
  bytes: Uint8Array;
} {
  return { typeUrl, name, bytes };
}
