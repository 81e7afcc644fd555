import type { StreamTopic } from '@/lib/api/stream';
import { getRuntime } from '@/server/index';
import { handle, problemResponse } from '../_handle';

export const dynamic = 'force-dynamic';

const known = /^(?:fleet|sources|lab|load|nacks|history|client:[0-9a-fx][0-9a-f]{15})$/;

export const GET = handle((request) => {
  const asked = new URL(request.url).searchParams.get('topics') ?? 'fleet,sources';
  const topics = asked.split(',').filter((topic) => topic !== '');
  const odd = topics.find((topic) => !known.test(topic));
  if (odd !== undefined || topics.length === 0 || topics.length > 64) {
    const got = odd === undefined ? `${topics.length} topics` : JSON.stringify(odd);
    return problemResponse(
      400,
      'Bad request',
      `topics: expected 1 to 64 of fleet, sources, lab, load, nacks, history, client:ID, got ${got}`,
    );
  }
  const body = getRuntime().stream.subscribe({
    topics: topics as StreamTopic[],
    lastEventId: request.headers.get('last-event-id') ?? undefined,
    signal: request.signal,
  });
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    },
  });
});
