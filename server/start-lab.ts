import type { NewSource } from '@/lib/api/schema';
import type { StreamChange } from '@/lib/api/stream';
import type { Codec } from './codec/codec';
import type { Lab } from './lab/lab';
import { startLab } from './lab/open-lab';
import { createLoadReportReceiver, type LoadReportReceiver } from './lrs/load-report-receiver';
import type { Clock, Observe } from './observe';
import type { NamedSource } from './sources/describe-source';
import { sourceIdOf } from './sources/source-id';
import type { SourceRegistry, StartSource } from './sources/source-registry';

export interface LabSourcesOptions {
  readonly observe: Observe;
  readonly clock: Clock;
  readonly codec: Codec;
  readonly registry: SourceRegistry;
  readonly publish: (change: StreamChange) => void;
  readonly weather: boolean;
  /** A tap, as a source of the lab. */
  readonly addTap: (tap: { readonly listen: string; readonly upstream: string }) => void;
  /** Our probes of its server, in both variants of the protocol. */
  readonly addProbes: (server: { readonly target: string; readonly label: string }) => void;
  /** One that is asked at its target. */
  readonly add: (source: NamedSource & { readonly kind: NewSource['kind'] }) => void;
  /** One that runs by itself. */
  readonly addRunning: (source: NamedSource, start: StartSource) => void;
}

/**
 * Starts the embedded mesh and listens to it as to any other: its clients' CSDS, its management server's CSDS and ADS,
 * and its load reports, which arrive at the management server (`lrs_server: self`) and are received by our own LRS.
 */
export async function startLabWithSources(options: LabSourcesOptions): Promise<Lab> {
  const { observe, clock, codec, registry, publish, weather, add, addRunning, addTap } = options;
  const receivers: LoadReportReceiver[] = [];
  const sourceId = sourceIdOf('lrs', 'lab');
  addRunning({ kind: 'lrs', target: 'lab', label: 'load reports of the lab', origin: 'lab' }, (onStatus) => {
    const request = { endpoints: true };
    const receiver = createLoadReportReceiver({ sourceId, observe, clock, codec, onStatus, request });
    receivers.push(receiver);
    return receiver;
  });
  const lab = await startLab({
    observe,
    clock,
    weather,
    openTap: addTap,
    addServices: (server) => {
      for (const receiver of receivers) receiver.addTo(server);
    },
  });
  options.addProbes({ target: lab.adsTarget, label: 'lab management server' });
  add({ kind: 'istiod', target: lab.adsTarget, label: 'lab control plane, as istiod', origin: 'lab' });
  // A child that is still loading is no source that is down: it becomes one when it serves.
  const addTargets = (): void => {
    const served = new Set(
      lab
        .status()
        .processes.filter(({ state }) => state === 'running')
        .map(({ address }) => address),
    );
    for (const { target, label } of lab.csdsTargets) {
      if (!served.has(target)) continue;
      if (!registry.has(sourceIdOf('csds', target))) add({ kind: 'csds', target, label, origin: 'lab' });
    }
  };
  addTargets();
  lab.onChange(() => {
    addTargets();
    publish({ type: 'lab', lab: lab.status() });
  });
  return lab;
}
