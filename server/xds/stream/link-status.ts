import type { Problem } from '@/lib/observation/observation';
import { formatResourceType } from '@/lib/xds/resource-type';
import type { ChannelStreamEnd } from './xds-channel';

/** How one management server is doing. */
export interface LinkStatus {
  readonly state: 'connecting' | 'up' | 'down';
  readonly problem: Problem | null;
  /** What is true of it now, in words. */
  readonly notes: readonly string[];
  /** Of streams that ended and are of one type, by type, until that type is answered: others may do well. */
  readonly streamNotes: ReadonlyMap<string, string>;
  /** Open streams. */
  readonly open: number;
  /** When the newest stream opened. */
  readonly openedAt: number;
  /** Moves with each response and end, so that the late explanation of an older failure is dropped. */
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

export function afterResponse(status: LinkStatus, typeUrl: string): LinkStatus {
  const streamNotes = without(status.streamNotes, typeUrl);
  return { ...status, state: 'up', problem: null, notes: [], streamNotes, epoch: status.epoch + 1 };
}

/** `isServerLost`: the end means that the server cannot be reached, and not only that this stream is over. */
export function afterClosed(status: LinkStatus, end: ChannelStreamEnd, isServerLost: boolean): LinkStatus {
  const open = Math.max(0, status.open - (end.wasOpened ? 1 : 0));
  const next = end.retryInMs === null ? '' : `, next try in ${(end.retryInMs / 1000).toFixed(1)} s`;
  const how = end.details === '' ? end.code : `${end.code}: ${end.details}`;
  const epoch = status.epoch + 1;
  if (isServerLost) {
    const state = status.state === 'down' ? 'down' : 'connecting';
    return { ...status, state, notes: next === '' ? [] : [next.slice(2)], open, epoch };
  }
  const { typeUrl } = end;
  if (end.retryInMs === null && !end.isFailure) {
    const streamNotes = typeUrl === null ? status.streamNotes : without(status.streamNotes, typeUrl);
    return { ...status, streamNotes, open, epoch };
  }
  // gRFC A57: normal, as when a server is rotated. If nobody comes back, the next stream will say so.
  const state = open > 0 ? status.state : 'connecting';
  if (typeUrl === null) return { ...status, state, notes: [`the stream ended (${how})${next}`], open, epoch };
  const isNeverTried = end.retryInMs === null && !end.wasOpened;
  const note = isNeverTried ? end.details : `the ${formatResourceType(typeUrl)} stream ended (${how})${next}`;
  return { ...status, state, streamNotes: new Map(status.streamNotes).set(typeUrl, note), open, epoch };
}

function without(notes: ReadonlyMap<string, string>, typeUrl: string): ReadonlyMap<string, string> {
  if (!notes.has(typeUrl)) return notes;
  return new Map([...notes].filter(([each]) => each !== typeUrl));
}

export function afterExplained(status: LinkStatus, problem: Problem): LinkStatus {
  return { ...status, state: 'down', problem };
}
