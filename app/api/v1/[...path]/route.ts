import { getRuntime } from '@/server/index';

export const dynamic = 'force-dynamic';

/** The questions and commands of lib/views. */
const answer = (request: Request): Promise<Response> => getRuntime().api.answerRequest(request);

export { answer as DELETE, answer as GET, answer as OPTIONS, answer as PATCH, answer as POST, answer as PUT };
