import type { Problem } from '@/lib/observation/observation';
import { formatResourceType } from '@/lib/xds/resource-type';
import type { ChannelStreamEnd } from './xds-channel';

export interface LinkStatus {
  readonly state: 'connecting' | 'up' | 'down';
  readonly problem: Problem | null;
  readonly notes: readonly string[];
  /** Notes on ended streams of one type, by type, until the type is answered. */
  readonly streamNotes: ReadonlyMap<string, string>;
  readonly open: number;
  readonly openedAt: number;
  /** Incremented with each response and end, so that the late explanation of an older failure is ignored. */
  readonly epoch: number;
}

export const initialLinkStatus: LinkStatus = {
  state: 'connecting',
  problem: null,
  notes: [],
  streamNotes: new Map(),
  open: 0,
  openedAt: 0,
  epoch: 0,
};

export function afterOpened(status: LinkStatus, at: number): LinkStatus {
  const notes = status.state === 'up' ? status.notes : ['connected, waiting for the first response'];
  return { ...status, notes, open: status.open + 1, openedAt: at };
}

/** The time for which a server may be silent before the status states a usual reason. */
export const silenceMs = 15_000;

export function afterSilence(status: LinkStatus): LinkStatus {
  const note = `connected, no response for ${silenceMs / 1_000} s: many control planes answer only node ids and clusters that they know`;
  return { ...status, notes: [note] };
}

export function afterResponse(status: LinkStatus, typeUrl: string): LinkStatus {
  const streamNotes = without(status.streamNotes, typeUrl);
  return { ...status, state: 'up', problem: null, notes: [], streamNotes, epoch: status.epoch + 1 };
}

/** `isServerFailing` means that the server cannot be reached, and not only that this stream has ended. */
export function afterClosed(status: LinkStatus, end: ChannelStreamEnd, isServerFailing: boolean): LinkStatus {
  const open = Math.max(0, status.open - (end.wasOpened ? 1 : 0));
  const next = end.retryInMs === null ? '' : `, next try in ${(end.retryInMs / 1000).toFixed(1)} s`;
  const how = end.details === '' ? end.code : `${end.code}: ${end.details}`;
  const epoch = status.epoch + 1;
  if (isServerFailing) {
    const state = status.state === 'down' ? 'down' : 'connecting';
    return { ...status, state, notes: next === '' ? [] : [next.slice(2)], open, epoch };
  }
  const { typeUrl } = end;
  if (end.retryInMs === null && !end.isFailure) {
    const streamNotes = typeUrl === null ? status.streamNotes : without(status.streamNotes, typeUrl);
    return { ...status, streamNotes, open, epoch };
  }
  // gRFC A57: the end of a stream with responses is normal. If the server cannot be reached, the next stream fails.
  const state = open > 0 ? status.state : 'connecting';
  if (typeUrl === null) return { ...status, state, notes: [`the stream ended (${how})${next}`], open, epoch };
  const isUnserved = end.retryInMs === null && !end.wasOpened;
  const note = isUnserved ? end.details : `the ${formatResourceType(typeUrl)} stream ended (${how})${next}`;
  return { ...status, state, streamNotes: new Map(status.streamNotes).set(typeUrl, note), open, epoch };
}

function without(notes: ReadonlyMap<string, string>, typeUrl: string): ReadonlyMap<string, string> {
  if (!notes.has(typeUrl)) return notes;
  return new Map([...notes].filter(([each]) => each !== typeUrl));
}

export function afterExplained(status: LinkStatus, problem: Problem): LinkStatus {
  return { ...status, state: 'down', problem };
}
