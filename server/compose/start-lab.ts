import { createLoadReportReceiver, type LoadReportReceiver } from '../collect/lrs/load-report-receiver';
import { sourceIdOf } from '../collect/source-kind/source-kind';
import { readTapSource } from '../collect/tap/read-tap-source';
import { crossCheckLabel, splitCrossCheck } from '../collect/xds/settings/cross-check';
import type { Config } from '../config/config';
import { labSourceId } from '../lab/embedded-lab';
import { type EnvoyFound, findEnvoy } from '../lab/envoy-binary/find-envoy';
import type { Lab } from '../lab/lab';
import { startLab } from '../lab/open-lab';
import { log } from '../logger';
import { setUpSource } from '../sources/set-up-source';
import type { SourceRegistry } from '../sources/source-registry';
import type { Sources } from './add-sources';
import type { State } from './create-state';
import type { Storage } from './open-storage';
import type { Workers } from './start-workers';

type ProbeSettingsInput = ReturnType<typeof splitCrossCheck>[number];

interface LabParts {
  readonly config: Config;
  readonly storage: Storage;
  readonly workers: Workers;
  readonly registry: SourceRegistry;
  readonly state: State;
  readonly sources: Sources;
}

/**
 * Starts the embedded mesh and adds the sources that observe it: the CSDS of its clients, the CSDS and ADS of its management
 * server, a tap, and its load reports, which arrive at the management server (`lrs_server: self`).
 */
export async function startLabWithSources(parts: LabParts): Promise<Lab> {
  const { config, registry } = parts;
  const { clock } = parts.storage;
  const { codec } = parts.workers;
  const { observe, publish } = parts.state;
  const { addRunning } = parts.sources;
  const add = (
    kind: 'ads' | 'csds' | 'channelz' | 'interop' | 'envoy-admin' | 'istiod',
    target: string,
    label: string,
    settings?: ProbeSettingsInput,
  ): void => {
    const { id, setup } = setUpSource({ kind, target, ...(settings && { settings }) });
    parts.sources.add({ kind, target, label, origin: 'lab', id }, setup);
  };
  const openTap = (tap: { readonly listen: string; readonly upstream: string }): void => {
    const { setup, ...source } = readTapSource(tap, 'lab', 'config', process.cwd());
    const named = {
      ...source,
      id: sourceIdOf('tap', 'lab'),
      label: 'tap of the lab',
      origin: 'lab',
    } as const;
    parts.sources.add({ kind: 'tap', ...named }, setup);
  };
  const receivers: LoadReportReceiver[] = [];
  const sourceId = sourceIdOf('lrs', 'lab');
  addRunning({ kind: 'lrs', target: 'lab', label: 'load reports of the lab', origin: 'lab' }, (onStatus) => {
    const request = { endpoints: true, intervalMs: config.labLoadIntervalMs };
    const receiver = createLoadReportReceiver({ sourceId, observe, clock, codec, onStatus, request });
    receivers.push(receiver);
    return receiver;
  });
  parts.state.declare(labSourceId, { kind: 'lab', target: 'embedded' });
  const lab = await startLab({
    observe,
    clock,
    backgroundFaults: config.backgroundFaults,
    openTap,
    ...(config.envoy !== 'off' && { findEnvoy: () => findAndReportEnvoy(config.envoy) }),
    addServices: (server) => {
      for (const receiver of receivers) receiver.addTo(server);
    },
  });
  for (const [index, settings] of splitCrossCheck({ crossCheck: true }, '').entries()) {
    const name = 'lab management server';
    add('ads', lab.adsTarget, index === 0 ? name : crossCheckLabel(name, settings), settings);
  }
  add('istiod', lab.adsTarget, 'lab control plane, as istiod');
  // A child process that is starting becomes a source only when it serves, so that it does not count as down.
  const addTargets = (): void => {
    const served = new Set(
      lab
        .status()
        .processes.filter(({ state }) => state === 'running')
        .map(({ address }) => address),
    );
    for (const { kind, target, label } of lab.polledTargets) {
      if (!served.has(target)) continue;
      if (!registry.has(sourceIdOf(kind, target))) add(kind, target, label);
    }
  };
  const report = (): void => {
    addTargets();
    publish('lab');
  };
  report();
  lab.onChange(report);
  return lab;
}

async function findAndReportEnvoy(requested: string): Promise<EnvoyFound> {
  const found = await findEnvoy(requested);
  if (found.kind === 'absent') log('info', 'lab', `no Envoy is a client: ${found.reason}`);
  return found;
}
