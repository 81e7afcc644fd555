import { getRuntime } from '@/server/index';
import { handle } from '../_handle';

export const dynamic = 'force-dynamic';

/** The questions of lib/questions. */
export const GET = handle<{ readonly path: string[] }>((request) => {
  const path = new URL(request.url).pathname.split('/').slice(3).map(decodeURIComponent);
  return getRuntime().api.answerRequest(request, path);
});
