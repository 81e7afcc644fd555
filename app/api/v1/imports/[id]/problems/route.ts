import { getRuntime } from '@/server/index';
import { handle } from '../../../_handle';

export const dynamic = 'force-dynamic';

export const GET = handle<{ readonly id: string }>((request, { id }) =>
  getRuntime().api.importProblems(id, Object.fromEntries(new URL(request.url).searchParams)),
);
