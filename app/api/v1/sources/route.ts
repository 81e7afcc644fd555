import { getRuntime } from '@/server/index';
import { handle, handleJson } from '../_handle';
import { readQuery } from '../_query';

export const dynamic = 'force-dynamic';

export const GET = handle((request) => getRuntime().api.pageSources(readQuery(request)));

export const POST = handleJson((json) => getRuntime().api.addSource(json), { status: 201 });

export const DELETE = handle(async (request) => {
  await getRuntime().api.removeSource(new URL(request.url).searchParams.get('id') ?? '');
});
