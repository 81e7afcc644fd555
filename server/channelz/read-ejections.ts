import type { EpochMs } from '@/lib/xds/units';
import { readTime, type TraceMessage } from './channelz-messages';
import { readAddress } from './read-address';

export interface Ejection {
  readonly at: EpochMs;
  /** The end of an ejection. */
  readonly isOver: boolean;
}

/** gRPC-Go: 'Subchannel ejected: [{Addr: "10.0.0.1:80", ServerName: "", }]' in the trace of the channel. */
const ejection = /\bSubchannel (un)?ejected: ([\s\S]*)$/;
const goAddress = /\bAddr: "([^"]+)"/g;

/**
 * The newest ejection of each address by outlier detection, according to the trace of a channel. Only gRPC-Go adds such
 * events: C-core and grpc-js log them alone, and gRPC-Java keeps no traces by default.
 */
export function readEjections(trace: TraceMessage | null | undefined): ReadonlyMap<string, Ejection> {
  const newest = new Map<string, Ejection>();
  for (const { description = '', timestamp } of trace?.events ?? []) {
    const [, isOver, addresses = ''] = ejection.exec(description) ?? [];
    const at = readTime(timestamp);
    if (at === null) continue;
    for (const [, address = ''] of addresses.matchAll(goAddress))
      newest.set(readAddress(address), { at, isOver: isOver !== undefined });
  }
  return newest;
}
