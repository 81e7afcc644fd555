import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Health } from '@/lib/views/health/schema';
import type { LabSwitch } from '../lab/lab-switch';
import type { WebhookSender } from '../live/alerts/webhook-sender';
import type { LoadReader } from '../live/load/load-reader';
import type { SourceRegistry } from '../sources/source-registry';
import type { Recorder } from '../store/recorder/recorder';
import type { UnhandledRejections } from '../unhandled-rejections';

export interface HealthParts {
  readonly version: string;
  readonly startedAt: number;
  readonly recorder: Pick<Recorder, 'stats'>;
  readonly loads: Pick<LoadReader, 'stats'>;
  readonly registry: Pick<SourceRegistry, 'counts' | 'kinds' | 'csdsAnswers'>;
  readonly labs: Pick<LabSwitch, 'lab'>;
  /** Sentences on databases that were damaged at the start, and where they were moved. */
  readonly setAside: readonly string[];
  /** Sentences on files of the data directory that something else changed before the start. */
  readonly changedFiles: readonly string[];
  readonly rejections: Pick<UnhandledRejections, 'facts'>;
  /** Absent without --store. */
  readonly sharedStore?: { readonly facts: NonNullable<Health['sharedStore']> } | undefined;
  /** Absent without --alert-webhook. */
  readonly alerts?: Pick<WebhookSender, 'facts'> | undefined;
}

export function buildHealth({
  recorder,
  loads,
  registry,
  version,
  startedAt,
  labs,
  setAside,
  changedFiles,
  rejections,
  alerts,
  sharedStore,
}: HealthParts): Health {
  const { damage, checkpointSeq: _, ...recorded } = recorder.stats();
  const { total, up, down } = registry.counts();
  const unhandled = rejections.facts;
  const { damage: loadDamage, ...load } = loads.stats;
  const damaged = [damage, loadDamage].filter((text) => text !== '');
  const isStored =
    recorded.state === 'recording' &&
    load.problem === '' &&
    damaged.length === 0 &&
    (sharedStore?.facts.problem ?? '') === '' &&
    (sharedStore?.facts.fleetProblem ?? '') === '';
  return {
    status: isStored && down === 0 && unhandled.count === 0 ? 'ok' : 'degraded',
    version,
    startedAt,
    recorder: {
      ...recorded,
      gaps: { ...recorded.gaps, newestAt: recorded.gaps.newestAt ?? undefined },
      limits: { ...recorded.limits, maxCount: countLimitOf(recorded.limits.maxCount) },
    },
    storage: { damaged, setAside: [...setAside], changed: [...changedFiles] },
    load,
    sources: { total, up, down, kinds: registry.kinds() },
    csds: registry.csdsAnswers(),
    eventLoop: loopDelay(),
    unhandledRejections: unhandled,
    lab: labs.lab !== undefined,
    alerts: alerts?.facts,
    sharedStore: sharedStore?.facts,
  };
}

/** Returns undefined for Number.MAX_SAFE_INTEGER, which means no limit. */
function countLimitOf(maxCount: number | undefined): number | undefined {
  return maxCount === undefined || maxCount === Number.MAX_SAFE_INTEGER ? undefined : maxCount;
}

const resolutionMs = 10;
const windowMs = 60_000;
const delay = monitorEventLoopDelay({ resolution: resolutionMs });
delay.enable();
let startedAt = performance.now();

/** Returns the delay of timers during the last one or two minutes, beyond the resolution of the timer. */
function loopDelay(): Health['eventLoop'] {
  const late = (ns: number): number => Math.round(Math.max(0, ns / 1e6 - resolutionMs) * 10) / 10;
  const isEmpty = delay.count === 0;
  const measured = {
    p50Ms: isEmpty ? 0 : late(delay.percentile(50)),
    p99Ms: isEmpty ? 0 : late(delay.percentile(99)),
    maxMs: isEmpty ? 0 : late(delay.max),
  };
  if (performance.now() - startedAt > windowMs) resetLoopDelay();
  return measured;
}

/** Begins a new measurement; called when the server begins to listen. */
export function resetLoopDelay(): void {
  delay.reset();
  startedAt = performance.now();
}
