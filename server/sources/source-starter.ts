import type { Source } from '@/lib/api/schema';
import type { Codec } from '../codec/codec';
import type { SourceSetup } from '../config/source-setup';
import type { CsdsThread } from '../csds/csds-thread';
import type { AdminReader } from '../envoy-admin/admin-reader';
import { EnvoyAdminPoller } from '../envoy-admin/envoy-admin-poller';
import type { IstiodThread } from '../istiod/istiod-thread';
import type { Clock, Observe } from '../observe';
import type { TapThreads } from '../tap/tap-threads';
import type { ProbeThread } from '../xds/probe/probe-thread';
import { isNamedBy, nameTargets } from './name-targets';
import type { StartSource } from './source-registry';
import { DnsTargetFinder } from './target-list/dns-target-finder';
import { FileTargetFinder } from './target-list/file-target-finder';
import { type ListMembers, TargetList } from './target-list/target-list';

export interface SourceStarterOptions {
  readonly observe: Observe;
  readonly clock: Clock;
  readonly codec: Codec;
  readonly pollers: CsdsThread;
  readonly probes: ProbeThread;
  readonly taps: TapThreads;
  readonly envoys: AdminReader;
  readonly istiods: IstiodThread;
  readonly csdsIntervalMs: number;
  /** Between two config dumps of an Envoy. */
  readonly envoyAdminIntervalMs: number;
  readonly istiodIntervalMs: number;
  /** Of one source. */
  readonly maxClients: number;
  /** Of xdscope: what the probe says that it is. */
  readonly version: string;
  /** What a source reports next is complete again. */
  readonly forget: (sourceId: string) => void;
  /** What keeps the sources that a list finds. */
  readonly membersOf: (listId: string, setup: ListSetup) => ListMembers;
}

export type ListSetup = Extract<SourceSetup, { kind: 'csds-list' }>;

/** How a source that was named and set up becomes one that runs. */
export type StarterOf = (
  source: { readonly id: string; readonly target: string; readonly origin: Source['origin'] },
  setup: SourceSetup,
) => StartSource;

export function createSourceStarter({
  csdsIntervalMs,
  envoyAdminIntervalMs,
  istiodIntervalMs,
  maxClients,
  envoys,
  istiods,
  version,
  pollers,
  probes,
  taps,
  membersOf,
  forget,
  ...parts
}: SourceStarterOptions): StarterOf {
  return ({ id, target, origin }, asked) =>
    (onStatus) => {
      const isNamed = isNamedBy(origin);
      const setup = isNamed ? nameTargets(asked) : asked;
      const common = { ...parts, sourceId: id, onStatus };
      if (setup.kind === 'csds') {
        const { security, serverName, keepaliveMs } = setup;
        const poller = {
          target,
          isNamed,
          security,
          serverName,
          keepaliveMs,
          intervalMs: csdsIntervalMs,
          maxClients,
        };
        return pollers.open({ ...common, vantage: 'csds', setup: poller, onForgotten: () => forget(id) });
      }
      if (setup.kind === 'csds-list') {
        const { from } = setup;
        const { clock } = parts;
        const finder =
          from.kind === 'file'
            ? new FileTargetFinder({ path: from.path, clock })
            : new DnsTargetFinder({ target: from.target, clock });
        return new TargetList({ finder, clock, onStatus, members: membersOf(id, setup) });
      }
      if (setup.kind === 'envoy-admin') {
        const { random } = Math;
        return new EnvoyAdminPoller({
          ...common,
          ...{ target, isNamed, answers: envoys, intervalMs: envoyAdminIntervalMs, random },
        });
      }
      if (setup.kind === 'istiod') {
        const { security, nodeId } = setup;
        const poller = { target, isNamed, security, nodeId, intervalMs: istiodIntervalMs, maxClients };
        return istiods.open({ ...common, vantage: 'istiod', setup: poller, onForgotten: () => forget(id) });
      }
      if (setup.kind === 'tap') return taps.open({ ...common, settings: setup.settings });
      const node = { ...setup.node, userAgentName: 'xdscope', userAgentVersion: version };
      return probes.open({ ...common, vantage: 'probe', setup: { node, settings: setup.settings } });
    };
}
