import { getRuntime } from '@/server/index';
import { handle, missing } from '../../_handle';

export const dynamic = 'force-dynamic';

type Params = { readonly groupId: string };

export const GET = handle<Params>(
  async (_, { groupId }) => (await getRuntime().api.findNack(groupId)) ?? missing('Refusal', groupId),
);
