'use client';

import { useConnection } from '../../_stream/use-live-stream';
import { StatusMark } from '../status-mark';

const marks = {
  connecting: { status: 'REQUESTED', word: 'connecting' },
  live: { status: 'ACKED', word: 'live' },
  reconnecting: { status: 'TIMEOUT', word: 'reconnecting' },
  disconnected: { status: 'NACKED', word: 'disconnected' },
} as const;

/** The connection of the page to the server, announced on changes only. */
export function ConnectionMark() {
  const { kind } = useConnection();
  const { status, word } = marks[kind];
  return (
    <span role="status" title="The stream of changes from the xdscope server to this browser">
      <StatusMark status={status} word={word} sizePx={9} />
    </span>
  );
}
