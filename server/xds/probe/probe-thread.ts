import { SourceThread, type SourceThreadOptions } from '../../source-threads/source-thread';
import { smallYoungHeapMb } from '../../threads/small-young-heap';
import type { XdsNode } from '../stream/xds-node';
import type { ProbeSettings } from './probe-settings';

export interface ProbeSetup {
  readonly settings: ProbeSettings;
  readonly node: XdsNode;
}

export type ProbeThread = SourceThread<ProbeSetup>;
export type ProbeThreadOptions = Omit<SourceThreadOptions, 'worker' | 'plural'>;

export function createProbeThread(options: ProbeThreadOptions): ProbeThread {
  return new SourceThread({
    worker: 'probe-worker',
    plural: 'probes',
    youngHeapMb: smallYoungHeapMb,
    ...options,
  });
}
