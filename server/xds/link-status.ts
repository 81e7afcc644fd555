import type { Problem } from '@/lib/observation/observation';
import { formatResourceType } from '@/lib/xds/resource-type';
import type { ChannelStreamEnd } from './xds-channel';

/** How one management server is doing. */
export interface LinkStatus {
  readonly state: 'connecting' | 'up' | 'down';
  readonly problem: Problem | null;
  /** What is true of it now, in words. */
  readonly notes: readonly string[];
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
  open: 0,
  openedAt: 0,
  epoch: 0,
};

export function afterOpened(status: LinkStatus, at: number): LinkStatus {
  const notes = status.state === 'up' ? status.notes : ['connected, waiting for the first response'];
  return { ...status, notes, open: status.open + 1, openedAt: at };
}

export function afterResponse(status: LinkStatus): LinkStatus {
  return { ...status, state: 'up', problem: null, notes: [], epoch: status.epoch + 1 };
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
  const stream = end.typeUrl === null ? 'the stream' : `the ${formatResourceType(end.typeUrl)} stream`;
  if (end.retryInMs === null && !end.isFailure) return { ...status, open, epoch };
  // gRFC A57: normal, as when a server is rotated. If nobody comes back, the next stream will say so.
  const state = open > 0 ? status.state : 'connecting';
  return { ...status, state, notes: [`${stream} ended (${how})${next}`], open, epoch };
}

export function afterExplained(status: LinkStatus, problem: Problem): LinkStatus {
  return { ...status, state: 'down', problem };
}
